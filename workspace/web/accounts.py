"""How accounts are made and entered, where the library leaves that open."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up is for those whom an administrator makes an account, unless ``BATON_SIGNUP`` opens it."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.BATON_SIGNUP == "open")
