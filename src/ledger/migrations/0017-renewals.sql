-- What an order inspects for whom, whatever its numbers are (`subjectKey` in src/domain/identity.ts); '' where its details are forgotten. Of orders from
-- before it is computed when the ledger is opened (src/ledger/subject-keys.ts).
ALTER TABLE orders ADD COLUMN subject_key TEXT;
CREATE INDEX orders_by_subject ON orders (account, subject_key);
CREATE INDEX orders_without_subject ON orders (id) WHERE subject_key IS NULL;
-- The order of an earlier term that this one renews.
ALTER TABLE orders ADD COLUMN renews INTEGER;
