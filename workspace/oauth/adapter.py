"""Where the authorization server's library leaves choices open."""

from allauth.idp.oidc.adapter import DefaultOIDCAdapter


class OAuthAdapter(DefaultOIDCAdapter):
    """The rules of this instance."""
