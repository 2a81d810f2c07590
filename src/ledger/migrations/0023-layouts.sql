CREATE TABLE layouts (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  sender TEXT NOT NULL,
  layout TEXT NOT NULL,
  keys TEXT NOT NULL,
  file TEXT NOT NULL,
  sheet TEXT NOT NULL,
  columns TEXT NOT NULL,
  words TEXT NOT NULL,
  question TEXT,
  workbook TEXT,
  asked_at INTEGER NOT NULL,
  answered_at INTEGER,
  answered_by TEXT
) STRICT;
CREATE UNIQUE INDEX layouts_of_sender ON layouts (account, sender, layout);
CREATE TABLE layout_waits (
  account TEXT NOT NULL,
  hash TEXT NOT NULL,
  layout_id INTEGER NOT NULL,
  PRIMARY KEY (account, hash, layout_id)
) STRICT;
