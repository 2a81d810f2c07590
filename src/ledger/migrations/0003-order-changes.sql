CREATE TABLE order_changes (
  row_id INTEGER PRIMARY KEY REFERENCES rows (id),
  account TEXT NOT NULL,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  at INTEGER NOT NULL,
  changes TEXT NOT NULL
) STRICT;
CREATE INDEX order_changes_by_order ON order_changes (account, order_id, row_id);

CREATE INDEX orders_by_inspection_number ON orders (account, json_extract(payload, '$.inspectionNumber')) WHERE json_extract(payload, '$.inspectionNumber') IS NOT NULL;
CREATE INDEX orders_without_policy_number ON orders (account, coalesce(json_extract(payload, '$.policyEffectiveDate'), '')) WHERE policy_key IS NULL;
