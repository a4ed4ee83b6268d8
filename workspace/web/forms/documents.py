"""Forms that write documents and folders."""

from django import forms

from workspace.markdown import lines
from workspace.services.captures import MAX_RETENTION_DAYS
from workspace.web.forms.base import OnceForm, PlainForm, once, text_input


class WriteForm(OnceForm):
    """Markdown, whole or the one ``section`` with that anchor, and a message for the history. ``draft`` is the mark of
    the draft that it goes on from. Browsers send every line end as CRLF; ``text`` undoes that."""

    content = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"aria-label": "Text, in Markdown", "spellcheck": "true", "rows": 26, "autocapitalize": "sentences"}
        ),
    )
    message = forms.CharField(
        required=False, max_length=500, widget=text_input("What changed? Optional, goes into the history")
    )
    base = forms.CharField(required=False, widget=forms.HiddenInput, max_length=64)
    section = forms.CharField(required=False, widget=forms.HiddenInput, max_length=600)
    draft = forms.CharField(required=False, widget=forms.HiddenInput, max_length=64)
    confirm_shrink = forms.BooleanField(required=False)

    def once(self) -> str | None:
        """The idempotency key. Which draft was kept last is no part of what is written."""
        return once({name: value for name, value in self.cleaned_data.items() if name != "draft"})

    def text(self) -> str:
        """What was typed, with ``\\n`` for every line end."""
        return lines.normalise(self.cleaned_data["content"])


class CreateForm(WriteForm):
    """A new document."""

    location = forms.CharField(max_length=7000, widget=text_input("product/launch/plan.md", spellcheck="false"))


class MoveForm(OnceForm):
    """Where a document or folder should go."""

    aliases = {"to": "target", "location": "target", "name": "target"}
    target = forms.CharField(
        label="New location",
        max_length=7000,
        help_text="The whole path. Change the last name to rename it, the others to move it.",
        widget=text_input(spellcheck="false"),
    )
    base = forms.CharField(required=False, widget=forms.HiddenInput, max_length=64)


class FolderForm(OnceForm):
    """A new folder."""

    aliases = {"name": "location"}
    location = forms.CharField(
        label="Location",
        max_length=7000,
        help_text="The whole path, such as product/launch. Folders that are missing on the way are made.",
        widget=text_input("product/launch", autofocus=True, spellcheck="false"),
    )


class FolderSettingsForm(PlainForm):
    """How long a folder keeps captures; empty for no end."""

    retention_days = forms.IntegerField(
        label="Keep captures for this many days",
        required=False,
        min_value=1,
        max_value=MAX_RETENTION_DAYS,
        help_text="From the day of the capture. Leave it empty to keep them until somebody erases them.",
        widget=forms.NumberInput(attrs={"class": "input", "inputmode": "numeric", "placeholder": "no end"}),
    )
