CREATE TABLE hosts (
  run text NOT NULL PRIMARY KEY,
  host text NOT NULL,
  pid INTEGER NOT NULL,
  role text NOT NULL,
  began_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  working_on text
) STRICT;
