-- What the service said of a project that is followed though no order asked for it (`inspection-batch follow`): in the shape of an order's payload.
ALTER TABLE projects ADD COLUMN details TEXT;
CREATE INDEX projects_made_elsewhere ON projects (account, id) WHERE details IS NOT NULL;
