CREATE TABLE news (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  at INTEGER NOT NULL,
  run TEXT,
  told_at INTEGER,
  told_in TEXT
) STRICT;
CREATE UNIQUE INDEX news_untold ON news (account, kind, subject) WHERE told_at IS NULL;
