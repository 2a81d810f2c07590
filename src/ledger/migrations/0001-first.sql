-- Times are milliseconds since the UNIX epoch, project ids are int64, documents are JSON.

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  command TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  exit_code INTEGER,
  summary TEXT
) STRICT;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  run TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  layouts TEXT NOT NULL,
  notes TEXT NOT NULL,
  rows_accepted INTEGER NOT NULL,
  rows_rejected INTEGER NOT NULL,
  archived_as TEXT,
  UNIQUE (account, hash)
) STRICT;

CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  identity TEXT NOT NULL,
  address_key TEXT NOT NULL,
  policy_key TEXT,
  state TEXT NOT NULL CHECK (state IN ('ready','submitting','created','linked','skipped','refused','unresolved','held','abandoned')),
  payload TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  allow_duplication INTEGER NOT NULL,
  row_wish INTEGER,
  reference TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  id_bound INTEGER,
  uncertain_since INTEGER,
  project_id INTEGER,
  reason TEXT,
  run TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  handed_over_in TEXT
) STRICT;

CREATE UNIQUE INDEX orders_one_living ON orders (account, identity) WHERE state NOT IN ('refused', 'abandoned');
CREATE INDEX orders_by_state ON orders (account, state, id);
CREATE INDEX orders_by_address ON orders (account, address_key);
CREATE INDEX orders_by_policy ON orders (account, policy_key) WHERE policy_key IS NOT NULL;
CREATE INDEX orders_by_project ON orders (account, project_id) WHERE project_id IS NOT NULL;
CREATE INDEX orders_to_hand_over ON orders (account, id) WHERE handed_over_in IS NULL;

CREATE TABLE rows (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files (id),
  sheet TEXT NOT NULL,
  row_number INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('order','repeat','rejection')),
  order_id INTEGER REFERENCES orders (id),
  record TEXT NOT NULL,
  problems TEXT NOT NULL,
  repairs TEXT NOT NULL,
  summary TEXT NOT NULL,
  corrections TEXT,
  handed_over_in TEXT
) STRICT;
CREATE INDEX rows_by_file ON rows (file_id, id);
CREATE INDEX rows_by_order ON rows (order_id);
CREATE INDEX rows_without_corrections ON rows (file_id, id) WHERE corrections IS NULL AND outcome = 'rejection';
CREATE INDEX rows_to_hand_over ON rows (id) WHERE handed_over_in IS NULL;

CREATE TABLE attempts (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  number INTEGER NOT NULL,
  run TEXT NOT NULL,
  actor TEXT NOT NULL,
  payload TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  answered_at INTEGER,
  outcome TEXT,
  detail TEXT,
  PRIMARY KEY (order_id, number)
) STRICT;

CREATE TABLE projects (
  account TEXT NOT NULL,
  id INTEGER NOT NULL,
  status TEXT NOT NULL,
  status_at INTEGER NOT NULL,
  inspection_code TEXT,
  inspection_link TEXT,
  first_seen_at INTEGER NOT NULL,
  returned_at INTEGER,
  collected_at INTEGER,
  problem TEXT,
  handed_over_in TEXT,
  PRIMARY KEY (account, id)
) STRICT;

CREATE TABLE artifacts (
  account TEXT NOT NULL,
  project_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('report','summary','image')),
  service_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  type TEXT NOT NULL,
  detail TEXT NOT NULL,
  path TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (account, project_id, kind, service_id, version),
  FOREIGN KEY (account, project_id) REFERENCES projects (account, id)
) STRICT;

CREATE TABLE deliveries (
  run TEXT PRIMARY KEY,
  folder TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  contents TEXT NOT NULL
) STRICT;

CREATE TABLE steps (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  at INTEGER NOT NULL,
  run TEXT,
  subject TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  event TEXT NOT NULL,
  detail TEXT
) STRICT;
CREATE INDEX steps_by_subject ON steps (subject, subject_id, id);
CREATE TRIGGER steps_are_never_changed BEFORE UPDATE ON steps BEGIN SELECT RAISE(ABORT, 'steps are append-only'); END;
CREATE TRIGGER steps_are_never_removed BEFORE DELETE ON steps BEGIN SELECT RAISE(ABORT, 'steps are append-only'); END;
