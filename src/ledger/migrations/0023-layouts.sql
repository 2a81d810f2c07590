-- How senders' tables are read, as a person said it, and what is asked about them (src/ledger/layouts.ts).
CREATE TABLE layouts (
  id          INTEGER PRIMARY KEY,
  account     TEXT NOT NULL,
  sender      TEXT NOT NULL,
  -- Of all its columns, in any order.
  layout      TEXT NOT NULL,
  keys        TEXT NOT NULL,
  -- The latest file that was asked about.
  file        TEXT NOT NULL,
  sheet       TEXT NOT NULL,
  columns     TEXT NOT NULL,
  words       TEXT NOT NULL,
  -- What is open; null: nothing.
  question    TEXT,
  workbook    TEXT,
  asked_at    INTEGER NOT NULL,
  answered_at INTEGER,
  answered_by TEXT
) STRICT;
CREATE UNIQUE INDEX layouts_of_sender ON layouts (account, sender, layout);
-- Files that are taken in, or read again, once their layouts are answered.
CREATE TABLE layout_waits (
  account   TEXT NOT NULL,
  hash      TEXT NOT NULL,
  layout_id INTEGER NOT NULL,
  PRIMARY KEY (account, hash, layout_id)
) STRICT;
