CREATE TABLE updates (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  project_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('cancel','receive','amend')),
  state TEXT NOT NULL CHECK (state IN ('open','done','refused')),
  request TEXT NOT NULL,
  before TEXT NOT NULL,
  source TEXT NOT NULL,
  run TEXT,
  began_at INTEGER NOT NULL,
  ended_at INTEGER,
  reason TEXT
) STRICT;
CREATE UNIQUE INDEX updates_one_open ON updates (account, project_id) WHERE state = 'open';
CREATE INDEX updates_by_project ON updates (account, project_id, id);
CREATE INDEX updates_by_policy_number ON updates (account, json_extract(request, '$.policyNumber')) WHERE json_extract(request, '$.policyNumber') IS NOT NULL;

CREATE TABLE amended_identities (
  account TEXT NOT NULL,
  identity TEXT NOT NULL,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  PRIMARY KEY (account, identity, order_id)
) STRICT;
