CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  channel TEXT NOT NULL,
  about TEXT NOT NULL,
  facts TEXT NOT NULL,
  at INTEGER NOT NULL,
  run TEXT,
  told_at INTEGER,
  told_in TEXT,
  UNIQUE (account, channel, about)
) STRICT;
CREATE INDEX outbox_untold ON outbox (account, id) WHERE told_at IS NULL;
