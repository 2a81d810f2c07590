CREATE INDEX news_by_subject ON news (account, kind, subject);
