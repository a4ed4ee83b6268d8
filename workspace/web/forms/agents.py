"""Forms about agents."""

from django import forms

from workspace.queries import hosts
from workspace.services.agents import MOST_DAYS
from workspace.web.forms.base import OnceForm, PlainForm, text_input

HOSTS = [("", "Any MCP host"), *((host.key, host.name) for host in hosts.HOSTS)]


class AgentForm(OnceForm):
    """A new agent of mine with a token, for machines where nobody can open a browser."""

    aliases = {"scope": "location", "expires": "expires_days"}
    name = forms.CharField(max_length=200, widget=text_input("nightly build"))
    host = forms.ChoiceField(choices=HOSTS, required=False, label="Runs in")
    role = forms.ChoiceField(
        choices=[("editor", "Read and write"), ("viewer", "Read only"), ("manager", "All that I may")],
        initial="editor",
        label="May",
    )
    location = forms.CharField(
        required=False,
        max_length=7000,
        label="Only in",
        help_text="A folder or document. Empty: wherever you may.",
        widget=text_input("product/launch", spellcheck="false", list="folders"),
    )
    expires_days = forms.IntegerField(
        required=False, min_value=1, max_value=MOST_DAYS, label="Ends after days", initial=90
    )

    def scopes(self) -> tuple[str, ...]:
        """The narrowing as the service takes it."""
        role, location = self.cleaned_data["role"], self.cleaned_data["location"].strip()
        if role == "manager" and not location:
            return ()
        return (f"{role}@{location or '*'}",)


class RenameForm(PlainForm):
    """Another name for an agent of mine."""

    name = forms.CharField(max_length=200, widget=text_input())
