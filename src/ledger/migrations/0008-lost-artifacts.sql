ALTER TABLE artifacts ADD COLUMN lost TEXT;
CREATE INDEX artifacts_lost ON artifacts (account, project_id) WHERE lost IS NOT NULL;
