CREATE TABLE receipts (
  file_id INTEGER PRIMARY KEY REFERENCES files (id),
  account TEXT NOT NULL,
  path TEXT NOT NULL,
  shown TEXT NOT NULL DEFAULT '',
  written_at INTEGER,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX receipts_open ON receipts (account, path) WHERE ended_at IS NULL;
INSERT INTO receipts (file_id, account, path, ended_at) SELECT id, account, '', recorded_at FROM files;

ALTER TABLE removals RENAME TO removals_before;
DROP INDEX removals_open;
CREATE TABLE removals (
  account TEXT NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('original','receipt','delivery','download','thumbnail','log','details')),
  bytes INTEGER NOT NULL,
  began_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (account, path)
) STRICT;
INSERT INTO removals SELECT account, path, kind, bytes, began_at, ended_at FROM removals_before;
DROP TABLE removals_before;
CREATE INDEX removals_open ON removals (account, path) WHERE ended_at IS NULL;
