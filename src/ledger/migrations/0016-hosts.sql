-- The processes that share this ledger, each with its last sign of life by the database's clock (ms since the epoch). With SQLite there are none.
CREATE TABLE hosts (
  run        text    NOT NULL PRIMARY KEY,
  host       text    NOT NULL,
  pid        INTEGER NOT NULL,
  -- run or worker
  role       text    NOT NULL,
  began_at   INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  -- The page of work in hand; null where there is none.
  working_on text
) STRICT;
