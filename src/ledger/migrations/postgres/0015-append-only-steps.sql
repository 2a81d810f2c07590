CREATE FUNCTION steps_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'steps are append-only'; END $$;
CREATE TRIGGER steps_are_never_removed BEFORE DELETE ON steps FOR EACH ROW EXECUTE FUNCTION steps_are_append_only();
CREATE TRIGGER steps_are_never_emptied BEFORE TRUNCATE ON steps FOR EACH STATEMENT EXECUTE FUNCTION steps_are_append_only();
CREATE TRIGGER steps_are_never_changed BEFORE UPDATE ON steps FOR EACH ROW
  WHEN (NOT (NEW.id = OLD.id AND NEW.account = OLD.account AND NEW.at = OLD.at AND NEW.run IS NOT DISTINCT FROM OLD.run AND NEW.subject = OLD.subject
    AND NEW.subject_id = OLD.subject_id AND NEW.event = OLD.event AND NEW.detail IS NOT DISTINCT FROM json_remove(OLD.detail, '$.reason', '$.problem', '$.comment')))
  EXECUTE FUNCTION steps_are_append_only();
