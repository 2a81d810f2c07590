CREATE TABLE lineage (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  workspace TEXT NOT NULL,
  generation INTEGER NOT NULL
) STRICT;

CREATE TABLE recoveries (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  old_since INTEGER NOT NULL,
  gap_from INTEGER,
  gap_to INTEGER,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX recoveries_one_open ON recoveries (account) WHERE ended_at IS NULL;
