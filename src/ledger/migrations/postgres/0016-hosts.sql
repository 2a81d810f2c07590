-- The processes that share this ledger, each with its last sign of life by the database's clock (ms since the epoch). With SQLite there are none.
CREATE TABLE hosts (
  run        text    NOT NULL PRIMARY KEY,
  host       text    NOT NULL,
  pid        bigint NOT NULL,
  -- run or worker
  role       text    NOT NULL,
  began_at   bigint NOT NULL,
  seen_at    bigint NOT NULL,
  -- The page of work in hand; null where there is none.
  working_on text
);
