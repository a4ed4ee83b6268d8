"""Leaving for another service to sign in there.

Chromium holds the redirect that follows a form to the ``form-action`` of the page with the form, and where a service
sends people is known only once it was asked. So the answer to that form is a page of this instance, which goes on by
itself: the policy stays as it is on every page.
"""

import logging
from collections.abc import Callable

from allauth.socialaccount.providers import registry
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from requests import RequestException

from workspace.errors import Unavailable
from workspace.web import errors

logger = logging.getLogger(__name__)


def middleware(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answers the form that leads to another service with a page instead of a redirect, and with one that says so
    where that service does not answer."""
    names = {f"{provider.id}_login" for provider in registry.get_class_list()}

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        found = request.resolver_match
        leads = request.method == "POST" and found is not None and found.url_name in names
        if not (leads and isinstance(response, HttpResponseRedirect) and "://" in response.url):
            return response
        page = render(
            request, "socialaccount/leaving.html", {"address": response.url, "back": reverse("account_login")}
        )
        add_never_cache_headers(page)
        return page

    def fail(request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        found = request.resolver_match
        if found is None or found.url_name not in names or not isinstance(exception, RequestException):
            return None
        logger.warning("A service that people sign in through does not answer: %s", exception)
        return errors.refused(request, Unavailable("The other service does not answer. Try again, or another way."))

    handle.process_exception = fail  # type: ignore[attr-defined]
    return handle
