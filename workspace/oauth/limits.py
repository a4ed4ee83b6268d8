"""How often one address may ask. The address is the connection's, or what a proxy that ``BATON_PROXIES`` names says."""

from allauth.core.internal import ratelimit
from django.conf import settings
from django.http import HttpRequest

from workspace.oauth.answers import TooMany

MINUTE_S = 60


def spend(request: HttpRequest, action: str) -> None:
    """Counts one ``action`` (``register``, ``device`` or ``document``); raises ``TooMany`` beyond
    ``BATON_OAUTH_PER_MINUTE`` of them from one address, or from one IPv6 network of 64 bits."""
    rates = {action: f"{settings.BATON_OAUTH_PER_MINUTE}/m/ip"}
    if not ratelimit.consume(request, app="workspace.oauth", action=action, config=rates, limit_get=True):
        raise TooMany(MINUTE_S)
