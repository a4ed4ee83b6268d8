"""Where the authorization server's library leaves choices open."""

from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from django.core.exceptions import ValidationError
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from workspace.oauth import addresses, resources


class OAuthAdapter(DefaultOIDCAdapter):
    """The rules of this instance, for whatever of the library asks for them."""

    def get_issuer(self) -> str:
        """From the settings: by the Host header, a visitor could choose who issues."""
        return addresses.issuer()

    def validate_resource_uris(self, *, uris: list[str], **kwargs: object) -> None:
        try:
            resources.requested(uris)
        except OAuth2Error as error:
            raise ValidationError(error.description) from None

    def is_cimd_url_allowed(self, url: str) -> bool:
        """Never: ``workspace.oauth.documents`` reads them."""
        return False
