"""Families: all codes and tokens that came of one consent, under the id that the library calls a grant.

Whatever changes a family holds its lock, so that a refresh and a revocation at one moment cannot leave a token
behind that neither saw.
"""

from allauth.idp.oidc.models import Token
from django.db import connection, transaction
from django.db.models import F, Func, QuerySet, TextField

from workspace.services import connections


def lock(grant_id: str) -> None:
    """Until the transaction ends, nobody else changes this family."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 2))", [grant_id])


def members(grant_id: str) -> "QuerySet[Token]":
    """Every row of the family, by the index on its id: the key has to stand in the statement, as it does there."""
    family = Func(F("data"), template="(%(expressions)s ->> 'grant_id')", output_field=TextField())
    return Token.objects.alias(family=family).filter(family=grant_id)


def forget(grant_id: str) -> None:
    """Deletes the family's codes, tokens and marks of used ones."""
    with transaction.atomic():
        lock(grant_id)
        members(grant_id).delete()


def end(grant_id: str, *, why: str) -> None:
    """Ends the connection and with it every token, from the next request on. Outside any transaction.

    The connection ends first: from then on no token of the family is good, whatever else happens here.
    """
    connections.end(grant_id, why=why)
    forget(grant_id)
