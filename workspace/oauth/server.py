"""The library's protocol, cut down to what OAuth 2.1 leaves: codes with PKCE for public clients, and refreshing.

What is not built in cannot be asked for: no implicit or hybrid answers, no client credentials, no passwords.
"""

from typing import Any

from allauth.idp.oidc.internal.oauthlib.request_validator import OAuthLibRequestValidator
from allauth.idp.oidc.internal.oauthlib.server import (
    claim_authorization_code,
    generate_access_token,
    generate_refresh_token,
    validate_code_challenge_method,
)
from allauth.idp.oidc.internal.oauthlib.utils import get_validator_context
from django.conf import settings
from oauthlib.common import Request
from oauthlib.oauth2 import (
    AuthorizationCodeGrant,
    AuthorizationEndpoint,
    BearerToken,
    RefreshTokenGrant,
    TokenEndpoint,
)
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, UnsupportedGrantTypeError

from workspace.oauth import redirects
from workspace.services import connections


class Validator(OAuthLibRequestValidator):
    """The library's rules, with this instance's where they are wider."""

    def is_pkce_required(self, client_id: str, request: Request) -> bool:
        return True

    def client_authentication_required(self, request: Request, *args: Any, **kwargs: Any) -> bool:
        """Never: a client is public, and ``authenticate_client_id`` knows no other."""
        return False

    def validate_redirect_uri(
        self, client_id: str, redirect_uri: str, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        return redirects.matches(request.client.get_redirect_uris(), redirect_uri)

    def get_default_redirect_uri(self, client_id: str, request: Request, *args: Any, **kwargs: Any) -> str | None:
        """For a code, the address that it was sent to: OAuth 2.1 asks for it no more, PKCE binds the code. None for
        an authorization request, which has to name one."""
        if request.grant_type != "authorization_code":
            return None
        code = self._lookup_authorization_code(request, client_id, request.code)
        return code.get_redirect_uri() if code else None

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Any, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        if not super().confirm_redirect_uri(client_id, code, redirect_uri, client, request, *args, **kwargs):
            raise InvalidGrantError("The code was not sent to this redirect_uri.", request=request)
        return True

    def validate_code(
        self, client_id: str, code: str, client: Any, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        return super().validate_code(client_id, code, client, request, *args, **kwargs) and _stands()

    def validate_refresh_token(
        self, refresh_token: str, client: Any, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        if not super().validate_refresh_token(refresh_token, client, request, *args, **kwargs):
            return False
        get_validator_context().grant_id = get_validator_context().refresh_token.get_grant_id()
        return _stands()


def _stands() -> bool:
    """Whether the consent still holds: not ended, its agent neither revoked nor expired, its person active."""
    grant_id = get_validator_context().grant_id
    return bool(grant_id) and connections.live(grant_id) is not None


class Server(AuthorizationEndpoint, TokenEndpoint):
    """The authorization and the token endpoint, over the library's tables."""

    def __init__(self) -> None:
        self.validator = Validator()
        self.bearer = BearerToken(
            self.validator,
            token_generator=generate_access_token,
            refresh_token_generator=generate_refresh_token,
            expires_in=settings.IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN,
        )
        code = AuthorizationCodeGrant(self.validator)
        code.custom_validators.pre_auth.append(validate_code_challenge_method)
        code.custom_validators.post_token.append(claim_authorization_code)
        AuthorizationEndpoint.__init__(self, "none", self.bearer, {"code": code, "none": code})
        refresh = RefreshTokenGrant(self.validator)
        TokenEndpoint.__init__(
            self, "none", self.bearer, {"authorization_code": code, "refresh_token": refresh, "none": Unsupported()}
        )


class Unsupported:
    """The answer to any other ``grant_type``."""

    def create_token_response(self, request: Request, token_handler: BearerToken) -> tuple[dict, str, int]:
        error = UnsupportedGrantTypeError(request=request)
        return {}, error.json, error.status_code
