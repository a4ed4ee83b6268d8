"""Forms about who may do what: the first account, sharing, agents."""

from django import forms

from workspace.web.forms.base import PlainForm, text_input

ROLES = [
    ("viewer", "Viewer: reads"),
    ("editor", "Editor: reads and writes"),
    ("manager", "Manager: also decides on access"),
]
HOSTS = [
    ("", "Any MCP host"),
    ("claude-code", "Claude Code"),
    ("codex", "Codex"),
    ("gemini", "Gemini"),
    ("opencode", "OpenCode"),
]


class WelcomeForm(PlainForm):
    """The administrator's account, made through the one-time link."""

    email = forms.CharField(widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}))
    name = forms.CharField(max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    password = forms.CharField(
        strip=False,
        help_text="At least ten characters.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class ShareForm(PlainForm):
    """A grant at one place."""

    subject = forms.CharField(
        label="With whom",
        max_length=400,
        help_text="The email of somebody who has an account here, or group:NAME.",
        widget=text_input("bob@example.org", spellcheck="false"),
    )
    role = forms.ChoiceField(choices=ROLES, initial="viewer", label="As")


class AgentForm(PlainForm):
    """A new agent of mine."""

    aliases = {"scope": "location", "expires": "expires_days"}
    name = forms.CharField(max_length=200, widget=text_input("scout"))
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
    expires_days = forms.IntegerField(required=False, min_value=1, max_value=3650, label="Ends after days", initial=90)

    def scopes(self) -> tuple[str, ...]:
        """The narrowing as the service takes it."""
        role, location = self.cleaned_data["role"], self.cleaned_data["location"].strip()
        if role == "manager" and not location:
            return ()
        return (f"{role}@{location or '*'}",)
