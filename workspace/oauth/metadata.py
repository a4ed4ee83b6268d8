"""How clients find everything: metadata of the protected resource (RFC 9728) and of this server (RFC 8414)."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

from workspace.oauth import scopes
from workspace.oauth.addresses import AUTHORIZE, DEVICE_CODE, REGISTER, REVOKE, TOKEN, at, issuer
from workspace.oauth.registration import GRANT_TYPES

CACHE = "public, max-age=300"


def server(request: HttpRequest) -> HttpResponse:
    """What this server does. It names nothing that it would refuse."""
    found: dict[str, Any] = {
        "issuer": issuer(),
        "authorization_endpoint": at(AUTHORIZE),
        "token_endpoint": at(TOKEN),
        "registration_endpoint": at(REGISTER),
        "revocation_endpoint": at(REVOKE),
        "device_authorization_endpoint": at(DEVICE_CODE),
        "scopes_supported": scopes.ALL,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": GRANT_TYPES,
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "service_documentation": at("/help/connect"),
    }
    # A host that reads the flag may not fall back to registering, so it is not set where documents are not fetched.
    if settings.BATON_OAUTH_CLIENT_HOSTS:
        found["client_id_metadata_document_supported"] = True
    return _answer(found)


def resource(request: HttpRequest) -> HttpResponse:
    """The instance as a resource, REST included."""
    return _answer(_resource(issuer()))


def mcp(request: HttpRequest) -> HttpResponse:
    """The MCP endpoint as a resource."""
    return _answer(_resource(at("/mcp")))


def _resource(identifier: str) -> dict[str, Any]:
    return {
        "resource": identifier,
        "authorization_servers": [issuer()],
        "scopes_supported": scopes.ALL,
        "bearer_methods_supported": ["header"],
        "resource_name": "Baton",
        "resource_documentation": at("/help/connect"),
    }


def _answer(found: dict[str, Any]) -> HttpResponse:
    response = JsonResponse(found)
    response["Cache-Control"] = CACHE
    return response
