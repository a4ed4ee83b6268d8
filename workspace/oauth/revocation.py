"""Revocation (RFC 7009): a program that signs out gives back its whole family, whichever of its tokens it names."""

from allauth.idp.oidc.models import Client, Token
from django.http import HttpRequest, HttpResponse
from oauthlib.oauth2.rfc6749.errors import InvalidClientError

from workspace.oauth import families, parameters
from workspace.oauth.tokens import USED


def revoke(request: HttpRequest) -> HttpResponse:
    """``POST``: 200 whether or not the token was known. A token of another client stays as it is.

    Without a ``client_id`` holding the token is enough: ending it is all that its holder can do here.
    """
    sent = parameters.form(request, parameters.REVOKE)
    value = parameters.need(sent, "token")
    client = sent.get("client_id")
    if client and not Client.objects.filter(pk=client).exists():
        raise InvalidClientError
    kinds = [Token.Type.ACCESS_TOKEN, Token.Type.REFRESH_TOKEN, USED]
    held = Token.objects.by_value(value).filter(type__in=kinds).first()
    family = held.get_grant_id() if held and (not client or held.client_id == client) else None
    if family:
        families.end(family, why="signed out")
    return HttpResponse()
