"""No setting of a session lets the audit log be emptied."""

from django.db import migrations

APPEND_ONLY = """
CREATE OR REPLACE FUNCTION workspace_audit_append_only() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    kept integer := nullif(current_setting('workspace.audit_days', true), '')::integer;
BEGIN
    IF TG_OP = 'DELETE' AND kept >= 1 AND OLD.at < now() - make_interval(days => kept) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'The audit log is append-only.' USING ERRCODE = 'insufficient_privilege';
END
$$
"""


class Migration(migrations.Migration):
    dependencies = [("workspace", "0013_next_folders")]

    operations = [migrations.RunSQL(APPEND_ONLY, migrations.RunSQL.noop)]
