"""The form of the first account."""

from django import forms

from workspace.web.forms.base import PlainForm


class WelcomeForm(PlainForm):
    """The administrator's account, made through the one-time link."""

    email = forms.CharField(widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}))
    name = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    password = forms.CharField(
        strip=False,
        help_text="At least ten characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
