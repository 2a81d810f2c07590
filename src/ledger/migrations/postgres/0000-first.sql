CREATE TABLE ledger_version (
  one BIGINT PRIMARY KEY CHECK (one = 1),
  version BIGINT NOT NULL
);
INSERT INTO ledger_version (one, version) VALUES (1, 0);

CREATE FUNCTION json_extract(document TEXT, path TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN path LIKE '$[%' THEN CAST(CASE WHEN strpos(document, '\u') = 0 THEN document ELSE regexp_replace(document, '(?<!\\)((?:\\\\)*)\\(u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2}))', '\1\\ufffd', 'g') END AS json) ->> CAST(rtrim(substr(path, 3), ']') AS integer)
    ELSE CAST(CASE WHEN strpos(document, '\u') = 0 THEN document ELSE regexp_replace(document, '(?<!\\)((?:\\\\)*)\\(u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2}))', '\1\\ufffd', 'g') END AS json) ->> substr(path, 3)
  END $$;

CREATE FUNCTION json_each(document TEXT) RETURNS TABLE (value TEXT) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT json_array_elements_text(CAST(document AS json)) $$;

CREATE FUNCTION json_marked(document TEXT) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CAST(CASE WHEN strpos(document, '\u') = 0 THEN document ELSE regexp_replace(document, '(?<!\\)((?:\\\\)*)\\(u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2}))', '\1' || U&'\FDD0' || '\2', 'g') END AS json) $$;
CREATE FUNCTION json_unmarked(document TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT replace(document, U&'\FDD0', '\') $$;

CREATE FUNCTION json_remove(document TEXT, VARIADIC paths TEXT[]) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT json_unmarked('{' || coalesce(string_agg(CAST(to_json(key) AS text) || ':' || CAST(value AS text), ',' ORDER BY place), '') || '}')
  FROM json_each(json_marked(document)) WITH ORDINALITY AS each (key, value, place) WHERE '$.' || key <> ALL (paths)
  HAVING document IS NOT NULL $$;

CREATE FUNCTION json_set(document TEXT, path TEXT, value json) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT json_unmarked('{' || string_agg(CAST(to_json(key) AS text) || ':' || CAST(kept AS text), ',' ORDER BY place) || '}') FROM (
    SELECT key, CASE WHEN '$.' || key = path THEN json_set.value ELSE each.value END AS kept, place
      FROM json_each(json_marked(document)) WITH ORDINALITY AS each (key, value, place)
    UNION ALL SELECT substr(path, 3), json_set.value, 1000000 WHERE json_marked(document) -> substr(path, 3) IS NULL) AS keys $$;
CREATE FUNCTION json_set(document TEXT, path TEXT, value BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT json_set(document, path, to_json(value)) $$;
CREATE FUNCTION json_set(document TEXT, path TEXT, value TEXT, path2 TEXT, value2 TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT json_set(json_set(document, path, to_json(value)), path2, to_json(value2)) $$;
