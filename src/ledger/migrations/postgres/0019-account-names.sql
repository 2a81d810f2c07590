-- Under which names (address, client, user) a service account's records are known. The account that the workspace came to last is the one it orders for.
CREATE TABLE account_names (
  name      TEXT    NOT NULL PRIMARY KEY,
  account   TEXT    NOT NULL,
  address   TEXT    NOT NULL,
  client_id TEXT    NOT NULL,
  username  TEXT    NOT NULL,
  since     bigint  NOT NULL
);
