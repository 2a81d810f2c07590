CREATE TABLE pace_hints (
  account TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('create', 'read')),
  rate_per_second REAL,
  concurrency INTEGER,
  learnt_at INTEGER NOT NULL,
  run TEXT,
  PRIMARY KEY (account, kind)
) STRICT;
