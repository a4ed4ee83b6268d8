"""What a sign-up form asks beside address and password. The sign-in library imports it while it defines its forms."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest


class NamedForm(forms.Form):
    """The name that others see."""

    field_order = ("name", "email", "password1", "password2")
    name = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}))

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if not name.isprintable():
            raise ValidationError("A name is made of printable characters.")
        return name

    def signup(self, request: HttpRequest, user: Any) -> None:
        """Called with the account that was made."""
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])
