"""How often one address may ask. The address is the connection's, or what a proxy that ``BATON_PROXIES`` names says."""

from allauth.core.internal import ratelimit
from django.conf import settings
from django.http import HttpRequest

from workspace.oauth.answers import TooMany

MINUTE_S = 60
GUESSES = 10
"""How many codes of a device one address may try in a minute, of 20 to the eighth that there are."""


def spend(request: HttpRequest, action: str) -> None:
    """Counts one ``action`` (``register``, ``device``, ``document`` or ``user_code``). Raises ``TooMany`` beyond
    ``BATON_OAUTH_PER_MINUTE`` of them, or ten user codes, from one address or one IPv6 network of 64 bits."""
    most = GUESSES if action == "user_code" else settings.BATON_OAUTH_PER_MINUTE
    rates = {action: f"{most}/m/ip"}
    if not ratelimit.consume(request, app="workspace.oauth", action=action, config=rates, limit_get=True):
        raise TooMany(MINUTE_S)
