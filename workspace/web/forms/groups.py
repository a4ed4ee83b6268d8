"""Forms about groups."""

from django import forms

from workspace.web.forms.base import PlainForm, text_input


class GroupForm(PlainForm):
    """What a group is called."""

    aliases = {"location": "name"}
    name = forms.CharField(
        max_length=200,
        help_text="Shared with as group:NAME.",
        widget=text_input("design", spellcheck="false"),
    )


class MemberForm(PlainForm):
    """Somebody to put into a group."""

    aliases = {"person": "email"}
    email = forms.CharField(
        label="Email", max_length=254, widget=text_input("bob@example.org", spellcheck="false", list="people")
    )


class NestForm(PlainForm):
    """Another group to put into a group."""

    aliases = {"inner": "group", "outer": "group"}
    group = forms.CharField(
        label="Group",
        max_length=210,
        help_text="Whoever is in it is in this one too, from then on.",
        widget=text_input("writers", spellcheck="false", list="groups"),
    )
