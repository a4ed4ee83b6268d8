"""What all forms share: marks for assistive technology, refusals as field errors, one key for one submission."""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django import forms

from workspace.errors import Invalid


class PlainForm(forms.Form):
    """A form whose services answer ``Invalid``; ``refuse`` shows that at the fields it names."""

    use_required_attribute = True
    aliases: Mapping[str, str] = {}
    """Fields of a refusal by the name that this form has for them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)

    def refuse(self, refusal: Invalid) -> None:
        """Put each error of ``refusal`` at its field, or above the form where it has no such field."""
        for error in refusal.errors:
            name = self.aliases.get(error.field, error.field)
            known = name in self.fields and not self.fields[name].widget.is_hidden
            text = error.message if known else f"{error.field} {error.message}".strip()
            self.add_error(name if known else None, text[:1].upper() + text[1:])


class OnceForm(PlainForm):
    """A form whose submission acts once however often it arrives: a double click, a reload, a lost reply."""

    key = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["key"].initial = uuid4().hex

    def once(self) -> str | None:
        """The idempotency key. It covers what was typed, so that a form that comes back after a refusal, and is
        sent again with other text, is another request."""
        return once(self.cleaned_data)


def once(sent: Mapping[str, Any]) -> str | None:
    """The idempotency key of a form whose hidden ``key`` makes it act once, over all that it holds; None without."""
    if not sent.get("key"):
        return None
    digest = hashlib.sha256()
    for name in sorted(set(sent) - {"csrfmiddlewaretoken"}):
        digest.update(f"{name}={sent[name]}\x1f".encode("utf-8", "surrogatepass"))
    return f"web:{digest.hexdigest()}"


def text_input(placeholder: str = "", **attrs: Any) -> forms.TextInput:
    """A one-line input in the style of the design system."""
    return forms.TextInput(attrs={"class": "input", "placeholder": placeholder, "autocomplete": "off", **attrs})
