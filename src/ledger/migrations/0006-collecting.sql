ALTER TABLE projects ADD COLUMN given_up_at INTEGER;
ALTER TABLE artifacts ADD COLUMN confirmed_at INTEGER;

CREATE TABLE fetches (
  account TEXT NOT NULL,
  project_id INTEGER NOT NULL,
  status_at INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('nothing-offered','incomplete','ended')),
  nights INTEGER NOT NULL,
  last_night_at INTEGER NOT NULL,
  PRIMARY KEY (account, project_id)
) STRICT;

CREATE TABLE status_stays (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  project_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  began_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL
) STRICT;
CREATE INDEX status_stays_by_status ON status_stays (account, status, id);

CREATE TABLE closeouts (
  account TEXT NOT NULL,
  project_id INTEGER NOT NULL,
  reasons TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (account, project_id)
) STRICT;

CREATE INDEX projects_followed ON projects (account, id)
  WHERE given_up_at IS NULL AND status <> 'Project Canceled' AND (status <> 'Client Received' OR collected_at IS NULL);

CREATE TABLE removals (
  account TEXT NOT NULL,
  path TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('original','delivery','download','thumbnail','log','details')),
  bytes INTEGER NOT NULL,
  began_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (account, path)
) STRICT;
CREATE INDEX removals_open ON removals (account, path) WHERE ended_at IS NULL;

DROP TRIGGER steps_are_never_changed;
CREATE TRIGGER steps_are_never_changed BEFORE UPDATE ON steps
  WHEN NOT (NEW.id = OLD.id AND NEW.account = OLD.account AND NEW.at = OLD.at AND NEW.run IS OLD.run AND NEW.subject = OLD.subject
    AND NEW.subject_id = OLD.subject_id AND NEW.event = OLD.event AND NEW.detail IS json_remove(OLD.detail, '$.reason', '$.problem', '$.comment'))
  BEGIN SELECT RAISE(ABORT, 'steps are append-only'); END;
