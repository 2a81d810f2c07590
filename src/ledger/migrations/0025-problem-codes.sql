ALTER TABLE projects ADD COLUMN problem_code TEXT;
ALTER TABLE projects ADD COLUMN lacking TEXT NOT NULL DEFAULT '[]';
UPDATE projects SET problem_code = CASE WHEN problem LIKE 'Complete, but %' THEN 'complete-but-lacking'
  WHEN problem LIKE 'The service does not know %' THEN 'project-not-known' ELSE 'earlier-version' END WHERE problem IS NOT NULL;
