"""Template tags of the pages around signing in, registered as a builtin library."""

import ipaddress
from typing import Any
from urllib.parse import urlsplit

from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.adapter import get_adapter
from django import template
from django.conf import settings
from django.http import Http404, HttpRequest

register = template.Library()

BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("HeadlessChrome/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "an iPhone"),
    ("iPad", "an iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "a Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
INVITATION_STATES = {"open": "queued", "accepted": "done", "expired": "expired", "revoked": "revoked"}


@register.simple_tag(takes_context=True)
def sign_in_services(context: dict[str, Any]) -> list[Any]:
    """Other services that let people in, by name. None of them is asked anything."""
    if not settings.SOCIALACCOUNT_PROVIDERS:
        return []
    return sorted(get_adapter().list_providers(context["request"]), key=lambda provider: provider.name.casefold())


@register.simple_tag(takes_context=True)
def service_address(context: dict[str, Any], service: Any, process: str = "login") -> str:
    """The page that leads to a service, and back to where the person was going."""
    request = context["request"]
    onward = get_next_redirect_url(request)
    return str(service.get_login_url(request, process=process, **({"next": onward} if onward else {})))


@register.simple_tag
def connected(account: Any) -> dict[str, Any]:
    """A connected account as a person knows it: the service, who they are there, and whether it lets them in still."""
    try:
        shown = account.get_provider_account()
        return {"service": shown.get_brand()["name"], "name": str(shown), "works": True}
    except Http404:
        return {"service": account.provider, "name": "not offered here any more", "works": False}


@register.simple_tag(takes_context=True)
def passkeys_work(context: dict[str, Any]) -> bool:
    """Whether browsers keep passkeys for the address that this page was opened at."""
    return _named(_host(context["request"])) and (settings.BATON_HTTPS or _host(context["request"]) == "localhost")


@register.simple_tag
def mail_is_printed() -> bool:
    """Whether no mail server is set, so that mail is printed where Baton runs."""
    return bool(settings.MAILERS["default"]["BACKEND"] == "workspace.config.mail.EmailBackend")


@register.simple_tag(takes_context=True)
def passkey_page(context: dict[str, Any]) -> str:
    """This page at an address for which browsers keep passkeys."""
    request: HttpRequest = context["request"]
    base = urlsplit(settings.BATON_BASE_URL)
    if _named(base.hostname or "") and settings.BATON_HTTPS:
        return settings.BATON_BASE_URL + request.path
    port = urlsplit(f"//{request.get_host()}").port
    return f"http://localhost{f':{port}' if port else ''}{request.path}"


def _host(request: HttpRequest) -> str:
    return urlsplit(f"//{request.get_host()}").hostname or ""


def _named(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return True
    return False


@register.filter
def browser(agent: str) -> str:
    """A User-Agent in words, such as "Firefox on Linux"."""
    program = next((name for mark, name in BROWSERS if mark in agent), agent.partition(" ")[0][:60] or "A program")
    system = next((name for mark, name in SYSTEMS if mark in agent), "")
    return f"{program} on {system}" if system else program


@register.filter
def invitation_shape(state: str) -> str:
    """The state whose shape an invitation's state is drawn with."""
    return INVITATION_STATES.get(state, state)
