-- The place of a report or an image in the service's list, from 0; NULL where it is not known. Files are shown and numbered by it.
ALTER TABLE artifacts ADD COLUMN listed_place INTEGER;
