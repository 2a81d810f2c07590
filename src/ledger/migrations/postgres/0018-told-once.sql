-- Whether something was told already is asked for each repeat that comes in.
CREATE INDEX news_by_subject ON news (account, kind, subject);
