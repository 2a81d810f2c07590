CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  project_id INTEGER NOT NULL,
  decision TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  notes TEXT NOT NULL,
  at INTEGER NOT NULL,
  run TEXT,
  file TEXT NOT NULL
) STRICT;
CREATE INDEX decisions_of_project ON decisions (account, project_id, id);
