CREATE TABLE result_columns (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  list TEXT NOT NULL,
  path TEXT NOT NULL,
  keyed_by TEXT,
  title TEXT NOT NULL,
  grouped TEXT NOT NULL,
  sheet TEXT NOT NULL,
  run TEXT,
  added_at INTEGER NOT NULL,
  UNIQUE (account, list, path)
) STRICT;
