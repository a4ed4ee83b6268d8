"""Forms about which folder belongs to which repository."""

from django import forms

from workspace.services import bindings
from workspace.web.forms.base import PlainForm, text_input

POLICIES = [
    ("optional", "The prompt goes on (optional)"),
    ("required", "The prompt is stopped (required)"),
]


class SettingsForm(PlainForm):
    """What a binding says besides its repository."""

    folder = forms.CharField(
        max_length=7000,
        label="Folder",
        help_text="Prompts read from it, and sessions are saved into it once you switch that on.",
        widget=text_input("product/launch", spellcheck="false", list="folders"),
    )
    policy = forms.ChoiceField(
        choices=POLICIES,
        initial=bindings.POLICY,
        label="When this workspace does not answer",
        help_text="Either way you are told why.",
    )
    deadline_ms = forms.IntegerField(
        min_value=bindings.DEADLINES_MS[0],
        max_value=bindings.DEADLINES_MS[1],
        initial=bindings.DEADLINE_MS,
        label="A prompt waits at most, in milliseconds",
    )
    budget_chars = forms.IntegerField(
        min_value=bindings.BUDGETS_CHARS[0],
        max_value=bindings.BUDGETS_CHARS[1],
        initial=bindings.BUDGET_CHARS,
        label="A prompt gets at most, in characters",
    )


class BindingForm(SettingsForm):
    """A new binding."""

    repository = forms.CharField(
        max_length=4000,
        label="Repository",
        help_text="Any address that you clone it from. A user or a password in it is not kept.",
        widget=text_input("github.com/acme/shop", spellcheck="false"),
    )
    field_order = ("repository", "folder", "policy", "deadline_ms", "budget_chars")


class CaptureForm(PlainForm):
    """The switch of one binding. Anything but off takes the tick, and what the page said."""

    capture = forms.ChoiceField(
        choices=[
            ("off", "Off: nothing is saved by itself"),
            ("ask", "Ask me first: each waits in your browser, seen by nobody else, until you approve it"),
            ("on", "On: each is saved at once"),
        ],
        widget=forms.RadioSelect,
        label="Saving",
    )
    agreed = forms.BooleanField(required=False, label="I have read what is sent, where, who can read it and how long.")
    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def clean(self) -> None:
        if self.cleaned_data.get("capture") not in (None, "off") and not self.cleaned_data.get("agreed"):
            self.add_error("agreed", "Tick this first. Nothing was switched.")
