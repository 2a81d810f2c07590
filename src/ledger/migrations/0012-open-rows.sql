ALTER TABLE rows ADD COLUMN open_since INTEGER;
ALTER TABLE rows ADD COLUMN dismissed_at INTEGER;
UPDATE rows SET open_since = (SELECT recorded_at FROM files WHERE files.id = rows.file_id)
  WHERE outcome = 'rejection' AND json_extract(record, '$.correctedBy') IS NULL;
UPDATE rows SET open_since = (SELECT updated_at FROM orders WHERE orders.id = rows.order_id)
  WHERE outcome = 'order' AND json_extract(record, '$.correctedBy') IS NULL AND order_id IN (SELECT id FROM orders WHERE state IN ('refused', 'held'));

UPDATE rows SET handed_over_in = (SELECT run FROM deliveries ORDER BY rowid DESC LIMIT 1)
  WHERE handed_over_in IS NULL AND (json_extract(record, '$.correctedBy') IS NOT NULL
    OR (outcome = 'order' AND order_id IN (SELECT id FROM orders WHERE state IN ('created', 'ready', 'submitting', 'unresolved'))));
DROP INDEX rows_to_hand_over;
CREATE INDEX rows_to_show ON rows (id) WHERE handed_over_in IS NULL OR open_since IS NOT NULL;
CREATE INDEX rows_open ON rows (file_id, corrections) WHERE open_since IS NOT NULL;

CREATE TABLE correction_workbooks (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  file_id INTEGER NOT NULL REFERENCES files (id),
  path TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  done_at INTEGER
) STRICT;
INSERT INTO correction_workbooks (account, file_id, path, written_at)
  SELECT files.account, files.id, rows.corrections, files.recorded_at FROM rows JOIN files ON files.id = rows.file_id
  WHERE rows.corrections IS NOT NULL GROUP BY files.id, rows.corrections ORDER BY max(rows.id);
CREATE INDEX correction_workbooks_open ON correction_workbooks (account, id) WHERE done_at IS NULL;
CREATE INDEX correction_workbooks_by_file ON correction_workbooks (file_id, id);
CREATE INDEX correction_workbooks_by_path ON correction_workbooks (account, path, id);

ALTER TABLE news ADD COLUMN handed_over_in TEXT;
UPDATE news SET handed_over_in = coalesce(told_in, '') WHERE told_at IS NOT NULL;
CREATE INDEX news_to_show ON news (account, kind, id) WHERE handed_over_in IS NULL;
CREATE INDEX news_by_kind ON news (account, kind, told_at);

CREATE INDEX projects_untold ON projects (account, id) WHERE handed_over_in IS NULL;
CREATE INDEX projects_to_show ON projects (account, id) WHERE handed_over_in IS NULL
  OR (collected_at IS NULL AND given_up_at IS NULL AND status NOT IN ('Client Received', 'Project Canceled', 'Receive Error'));
CREATE INDEX projects_by_standing ON projects (account, status, given_up_at, collected_at, returned_at);
