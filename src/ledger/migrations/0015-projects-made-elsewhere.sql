ALTER TABLE projects ADD COLUMN details TEXT;
CREATE INDEX projects_made_elsewhere ON projects (account, id) WHERE details IS NOT NULL;
