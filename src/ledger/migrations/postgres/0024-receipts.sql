CREATE TABLE receipts (
  file_id BIGINT PRIMARY KEY REFERENCES files (id),
  account TEXT NOT NULL,
  path TEXT NOT NULL,
  shown TEXT NOT NULL DEFAULT '',
  written_at BIGINT,
  ended_at BIGINT
);
CREATE UNIQUE INDEX receipts_open ON receipts (account, path) WHERE ended_at IS NULL;
INSERT INTO receipts (file_id, account, path, ended_at) SELECT id, account, '', recorded_at FROM files;
ALTER TABLE removals DROP CONSTRAINT removals_kind_check;
ALTER TABLE removals ADD CONSTRAINT removals_kind_check CHECK (kind IN ('original','receipt','delivery','download','thumbnail','log','details'));
