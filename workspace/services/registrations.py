"""Clients of the authorization server that nobody uses, and tokens past their end.

The tables are the authorization server's library's, which this layer does not know: hence SQL.
"""

from django.conf import settings
from django.db import connection

ROWS_AT_ONCE = 1_000
# A client is in use while it holds a code or token, or while somebody's consent to it stands.
_UNUSED = """
  FROM allauth_idp_oidc_client client
 WHERE NOT EXISTS (SELECT FROM allauth_idp_oidc_token token WHERE token.client_id = client.id)
   AND NOT EXISTS (SELECT FROM workspace_connection connection
                    WHERE connection.client_id = client.id AND connection.ended_at IS NULL)
"""
# Whom another transaction is just giving a code is in use, and whom another one deletes is gone.
_ALONE = " FOR UPDATE OF client SKIP LOCKED"
_DELETE = "DELETE FROM allauth_idp_oidc_client WHERE id IN (SELECT client.id"
# The table holds codes, access and refresh tokens, marks of used refresh tokens and device codes alike.
_EXPIRED = """
DELETE FROM allauth_idp_oidc_token
 WHERE id IN (SELECT id FROM allauth_idp_oidc_token WHERE expires_at < now() - interval '1 hour'
               ORDER BY expires_at LIMIT %s FOR UPDATE SKIP LOCKED)
"""


def bound() -> int:
    """Deletes the oldest unused clients beyond ``BATON_OAUTH_UNUSED_CLIENTS``; returns how many.

    Registration is open, so its rows are bounded however many addresses take part. The one just made is the newest.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"{_DELETE}{_UNUSED} ORDER BY client.created_at DESC, client.id OFFSET %s{_ALONE})",
            [settings.BATON_OAUTH_UNUSED_CLIENTS],
        )
        return int(cursor.rowcount)


def expire() -> int:
    """Deletes clients that nobody used for ``BATON_OAUTH_UNUSED_DAYS``, and up to 1,000 tokens that are over; returns
    how many rows went."""
    with connection.cursor() as cursor:
        cursor.execute(_EXPIRED, [ROWS_AT_ONCE])
        gone = cursor.rowcount
        cursor.execute(
            f"{_DELETE}{_UNUSED} AND client.created_at < now() - make_interval(days => %s) LIMIT %s{_ALONE})",
            [settings.BATON_OAUTH_UNUSED_DAYS, ROWS_AT_ONCE],
        )
        return int(gone + cursor.rowcount)
