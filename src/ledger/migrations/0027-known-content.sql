ALTER TABLE rows ADD COLUMN content TEXT;
CREATE INDEX rows_by_content ON rows (content, id) WHERE content IS NOT NULL;
