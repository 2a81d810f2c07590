-- Which workspace the ledger belongs to, and how far it has come (src/ledger/lineage-book.ts). One row, from its first guarded opening on.
CREATE TABLE lineage (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  workspace  TEXT NOT NULL,
  -- Milliseconds since the epoch; moves on with every commit, and never goes back.
  generation INTEGER NOT NULL
) STRICT;

-- Every time a ledger was recovered: nothing is sent between began_at and ended_at.
CREATE TABLE recoveries (
  id         INTEGER PRIMARY KEY,
  account    TEXT NOT NULL,
  began_at   INTEGER NOT NULL,
  -- What the ledger stood at when it was found old, 0 for one that was lost: what came after is looked for.
  old_since  INTEGER NOT NULL,
  -- Projects above this id may be of orders that the ledger had forgotten; and those up to the second one, once that is known.
  gap_from   INTEGER,
  gap_to     INTEGER,
  ended_at   INTEGER
) STRICT;
CREATE UNIQUE INDEX recoveries_one_open ON recoveries (account) WHERE ended_at IS NULL;
