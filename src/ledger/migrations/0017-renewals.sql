ALTER TABLE orders ADD COLUMN subject_key TEXT;
CREATE INDEX orders_by_subject ON orders (account, subject_key);
CREATE INDEX orders_without_subject ON orders (id) WHERE subject_key IS NULL;
ALTER TABLE orders ADD COLUMN renews INTEGER;
