-- Who sent a file: the name of its folder in the inbox, '' where nobody was named.
ALTER TABLE files ADD COLUMN sender TEXT NOT NULL DEFAULT '';
-- What files of one sender have in common in their names. NULL: not compared with others (corrections workbooks, and files from before this).
ALTER TABLE files ADD COLUMN kind TEXT;
CREATE INDEX files_by_kind ON files (account, sender, kind, id) WHERE kind IS NOT NULL;

-- Content that waits, or waited, for a person. Approved, it is taken in whatever the limits say.
CREATE TABLE held_files (
  account     TEXT NOT NULL,
  hash        TEXT NOT NULL,
  name        TEXT NOT NULL,
  held_at     INTEGER,
  held_as     TEXT,
  reasons     TEXT NOT NULL,
  approved_at INTEGER,
  PRIMARY KEY (account, hash)
) STRICT;
