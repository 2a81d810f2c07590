ALTER TABLE files ADD COLUMN sender TEXT NOT NULL DEFAULT '';
ALTER TABLE files ADD COLUMN kind TEXT;
CREATE INDEX files_by_kind ON files (account, sender, kind, id) WHERE kind IS NOT NULL;

CREATE TABLE held_files (
  account TEXT NOT NULL,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  held_at INTEGER,
  held_as TEXT,
  reasons TEXT NOT NULL,
  approved_at INTEGER,
  PRIMARY KEY (account, hash)
) STRICT;
