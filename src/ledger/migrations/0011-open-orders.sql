CREATE INDEX orders_open_by_number ON orders (account, json_extract(payload, '$.inspectionNumber'), id)
  WHERE state IN ('ready', 'submitting', 'unresolved', 'held');
CREATE INDEX orders_open_by_policy ON orders (account, policy_key, id) WHERE state IN ('ready', 'submitting', 'unresolved', 'held');
CREATE INDEX orders_open_by_address ON orders (account, address_key, id) WHERE state IN ('ready', 'submitting', 'unresolved', 'held');
