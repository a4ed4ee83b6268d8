"""Addresses of the authorization server."""

from django.urls import path, re_path

from workspace.oauth import addresses, answers, device_page, devices, guard, metadata, registration, revocation, tokens
from workspace.oauth.answers import endpoint
from workspace.oauth.authorize import authorize

__all__ = ["guard", "urlpatterns"]


def _relative(address: str) -> str:
    return address.removeprefix("/")


urlpatterns = [
    path(_relative(addresses.SERVER_METADATA), endpoint(GET=metadata.server)),
    path(_relative(addresses.RESOURCE_METADATA), endpoint(GET=metadata.resource)),
    path(f"{_relative(addresses.RESOURCE_METADATA)}/mcp", endpoint(GET=metadata.mcp)),
    path(_relative(addresses.AUTHORIZE), authorize, name="oauth_authorize"),
    path(_relative(addresses.TOKEN), endpoint(POST=tokens.token)),
    path(_relative(addresses.REVOKE), endpoint(POST=revocation.revoke)),
    path(_relative(addresses.REGISTER), endpoint(POST=registration.register)),
    path(_relative(addresses.DEVICE_CODE), endpoint(POST=devices.start)),
    path(_relative(addresses.DEVICE), device_page.device, name="device"),
    # What is not there is said in the form that programs read.
    re_path(
        r"^(?:oauth/|\.well-known/(?:oauth-|openid-))(?P<rest>.*)$",
        endpoint(GET=answers.not_found, POST=answers.not_found),
    ),
]
