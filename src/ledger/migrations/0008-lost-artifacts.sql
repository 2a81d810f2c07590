-- What was wrong with a stored file when it was last compared with the record; NULL where it was as it says.
ALTER TABLE artifacts ADD COLUMN lost TEXT;
CREATE INDEX artifacts_lost ON artifacts (account, project_id) WHERE lost IS NOT NULL;
