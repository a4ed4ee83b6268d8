"""Forms that write documents and folders."""

from django import forms

from workspace.markdown import lines
from workspace.services.captures import MAX_RETENTION_DAYS
from workspace.web.forms.base import OnceForm, PlainForm, text_input


class WriteForm(OnceForm):
    """Markdown and a message for the history. Browsers send every line end as CRLF; ``text`` undoes that."""

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

    def text(self, before: str = "") -> str:
        """What was typed, with the line ends that ``before`` has; ``before`` itself where nothing else differs."""
        typed = lines.normalise(self.cleaned_data["content"])
        if typed == lines.normalise(before):
            return before
        end = lines.eol(before)
        return typed if end == "\n" else typed.replace("\n", end)


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
