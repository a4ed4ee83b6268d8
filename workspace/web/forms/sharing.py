"""Forms about who may do what at a place."""

from typing import Any

from django import forms

from workspace.web.forms.base import PlainForm, text_input

ROLES = [
    ("viewer", "Viewer: reads"),
    ("editor", "Editor: reads and writes"),
    ("manager", "Manager: also decides on access"),
]


class ShareForm(PlainForm):
    """A grant at one place. ``most`` is the highest role that whoever shares may give there."""

    subject = forms.CharField(
        label="With whom",
        max_length=400,
        help_text="An email address, or group:NAME.",
        widget=text_input(
            "bob@example.org",
            spellcheck="false",
            list="subjects",
            **{
                "hx-get": "/share-with",
                "hx-trigger": "input changed delay:200ms",
                "hx-target": "#subjects",
                "hx-select": "#subjects",
                "hx-swap": "outerHTML",
            },
        ),
    )
    role = forms.ChoiceField(choices=ROLES, initial="viewer", label="As")
    confirm_token = forms.CharField(required=False, max_length=2000, widget=forms.HiddenInput)

    def __init__(self, *args: Any, most: str = "manager", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Every role is still taken, so that one that was not offered is refused by the service in its own words.
        select = forms.Select(choices=up_to(most))
        select.attrs["class"] = "input"
        self.fields["role"].widget = select


class ViewAsForm(PlainForm):
    """As whom to look at a place."""

    aliases = {"subject": "person"}
    person = forms.CharField(
        label="As whom",
        max_length=254,
        help_text="The email of somebody who has an account here.",
        widget=text_input("bob@example.org", spellcheck="false"),
    )


class RequestForm(PlainForm):
    """A request for access."""

    location = forms.CharField(
        label="What",
        max_length=7000,
        help_text="The whole path. It may not exist: you are told the same.",
        widget=text_input("product/launch", spellcheck="false"),
    )
    role = forms.ChoiceField(choices=ROLES, initial="viewer", label="As")
    reason = forms.CharField(
        required=False,
        max_length=2000,
        help_text="Whoever decides reads this.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class DecisionForm(PlainForm):
    """An answer to a request for access. The role may be a lesser one than was asked for."""

    role = forms.ChoiceField(choices=ROLES, label="As")
    answer = forms.CharField(
        required=False,
        max_length=2000,
        label="Answer",
        help_text="Whoever asked reads this.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    confirm_token = forms.CharField(required=False, max_length=2000, widget=forms.HiddenInput)

    def __init__(self, *args: Any, most: str = "manager", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].widget = forms.Select(choices=up_to(most))


def up_to(most: str) -> list[tuple[str, str]]:
    """The roles to choose from, up to ``most``; none where that is none."""
    names = [name for name, _ in ROLES]
    return ROLES[: names.index(most) + 1] if most in names else []
