/** Marks an SQLite file as a sandbox's: "IBSX". */
export const APPLICATION_ID = 0x49425358;
/** A file with another number was written by another version. */
export const SCHEMA_VERSION = 1;

/**
 * What a person or a client chose is kept as JSON, so that whatever characters it has come back as they were. `place` counts projects
 * from 0 in the order of creation; a project's id follows from it.
 */
export const SCHEMA = `
  CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE project (
    place INTEGER PRIMARY KEY,
    actor TEXT NOT NULL,
    created_at REAL NOT NULL,
    bundled INTEGER NOT NULL DEFAULT 0,
    keys TEXT NOT NULL,
    request TEXT NOT NULL
  ) STRICT;
  CREATE TABLE status_set (
    place INTEGER NOT NULL,
    number INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (place, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE token (
    token TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    expires_at REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;
