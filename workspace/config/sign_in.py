"""Who else may say who somebody is: other services' accounts, by environment variables alone.

Nothing is fetched here or on the sign-in page: a provider is asked when somebody chooses it.
"""

from typing import Any
from urllib.parse import urlsplit

from workspace.config.environment import Environment, WrongValue

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
# Directories of anybody at all. Whoever runs one of their own vouches for the addresses in it.
OPEN_TENANTS = {"common", "organizations", "consumers"}


def providers(env: Environment, *, signup: str) -> dict[str, dict[str, Any]]:
    """``SOCIALACCOUNT_PROVIDERS``, with those that have both halves of their pair of variables.

    ``signup`` is who may make an account (``open`` or ``closed``) where the provider's own ``…_SIGNUP`` does not
    say. Raises ``WrongValue`` naming the variable that is missing or wrong.
    """
    found: dict[str, dict[str, Any]] = {}
    if app := _app(env, "BATON_OIDC", "BATON_OIDC_URL", signup=signup):
        app["provider_id"] = "oidc"
        app["name"] = env.text("BATON_OIDC_NAME", "Single sign-on")
        app["settings"]["server_url"] = _address(env, "BATON_OIDC_URL")
        found["openid_connect"] = {"APPS": [app]}
    if app := _app(env, "BATON_GOOGLE", signup=signup):
        found["google"] = {"APPS": [app], "SCOPE": ["profile", "email"]}
    if app := _app(env, "BATON_GITHUB", signup=signup):
        found["github"] = {"APPS": [app], "SCOPE": ["user:email"]}
        if address := _address(env, "BATON_GITHUB_URL"):
            found["github"]["GITHUB_URL"] = address
    if app := _app(env, "BATON_GITLAB", signup=signup):
        if address := _address(env, "BATON_GITLAB_URL"):
            app["settings"]["gitlab_url"] = address
        found["gitlab"] = {"APPS": [app]}
    if app := _app(env, "BATON_MICROSOFT", signup=signup):
        app["settings"]["tenant"] = tenant = env.text("BATON_MICROSOFT_TENANT", "common")
        if not all(character.isalnum() or character in ".-" for character in tenant):
            raise WrongValue("BATON_MICROSOFT_TENANT", "a tenant's id or domain, or: common, organizations, consumers")
        app["settings"]["verified_email"] = tenant not in OPEN_TENANTS
        found["microsoft"] = {"APPS": [app]}
    return found


def _app(env: Environment, prefix: str, *more: str, signup: str) -> dict[str, Any] | None:
    """The client at one provider; None where none of its variables is given."""
    names = (*more, f"{prefix}_CLIENT_ID", f"{prefix}_CLIENT_SECRET")
    given = [name for name in names if env.text(name)]
    if not given:
        return None
    for name in names:
        if name not in given:
            raise WrongValue(name, f"a value, since {given[0]} is given")
    return {
        "client_id": env.text(f"{prefix}_CLIENT_ID"),
        "secret": env.text(f"{prefix}_CLIENT_SECRET"),
        "settings": {
            "oauth_pkce_enabled": True,
            "signup": env.choice(f"{prefix}_SIGNUP", ("closed", "open"), signup),
        },
    }


def _address(env: Environment, name: str) -> str:
    """An address that secrets may be sent to: HTTPS, or HTTP on this machine."""
    address = env.url(name, ("https", "http")).rstrip("/")
    parts = urlsplit(address)
    if address and (not parts.hostname or (parts.scheme == "http" and parts.hostname not in LOOPBACK)):
        raise WrongValue(name, "an address that starts with https://")
    return address
