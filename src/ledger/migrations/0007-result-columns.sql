-- The columns that results workbooks had, in the order in which they were given: a column keeps its place and its title.
CREATE TABLE result_columns (
  id       INTEGER PRIMARY KEY,
  account  TEXT NOT NULL,
  -- The list whose sheet it stands on; empty for the sheet Results.
  list     TEXT NOT NULL,
  path     TEXT NOT NULL,
  keyed_by TEXT,
  title    TEXT NOT NULL,
  grouped  TEXT NOT NULL,
  sheet    TEXT NOT NULL,
  run      TEXT,
  added_at INTEGER NOT NULL,
  UNIQUE (account, list, path)
) STRICT;
