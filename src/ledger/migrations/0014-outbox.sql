-- What is to be told to people and programs (src/ledger/outbox.ts): on record before it is sent. What could not be sent waits here for the next run.
CREATE TABLE outbox (
  id      INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  channel TEXT NOT NULL,
  -- What it tells of. The same is never told twice over one channel.
  about   TEXT NOT NULL,
  -- JSON; emptied once it is told.
  facts   TEXT NOT NULL,
  at      INTEGER NOT NULL,
  run     TEXT,
  told_at INTEGER,
  told_in TEXT,
  UNIQUE (account, channel, about)
) STRICT;
CREATE INDEX outbox_untold ON outbox (account, id) WHERE told_at IS NULL;
