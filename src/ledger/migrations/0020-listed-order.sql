ALTER TABLE artifacts ADD COLUMN listed_place INTEGER;
