CREATE TABLE account_names (
  name TEXT NOT NULL PRIMARY KEY,
  account TEXT NOT NULL,
  address TEXT NOT NULL,
  client_id TEXT NOT NULL,
  username TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT;
