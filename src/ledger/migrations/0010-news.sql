-- What people have to hear of (src/ledger/news-book.ts): on record with the fact it tells of, told once, by the next run that ends well.
CREATE TABLE news (
  id      INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  at      INTEGER NOT NULL,
  run     TEXT,
  told_at INTEGER,
  told_in TEXT
) STRICT;
CREATE UNIQUE INDEX news_untold ON news (account, kind, subject) WHERE told_at IS NULL;
