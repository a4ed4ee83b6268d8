"""Whoever runs commands on the machine: an administrator with the command's name."""

import re

from django.core.management.base import CommandError

from workspace import access
from workspace.actor import Actor, Via
from workspace.models import Person


def operator(command: str) -> Actor:
    """The command as an actor, for what no person in particular does. It holds no role in folders."""
    return Actor(person=None, label=command, job=command, via=Via.COMMAND, admin=True)


def person(email: str) -> Actor:
    """The active person with this address, acting through a command; ``CommandError`` where there is none."""
    found = Person.objects.filter(email__iexact=email.strip(), is_active=True).first()
    if found is None:
        raise CommandError(f"Nobody active has the address {email}. Make them with createperson.")
    return access.person_actor(found, via=Via.COMMAND)


def administrator() -> Actor:
    """The active administrator who has been here longest, acting through a command, for what asks for a person's
    reach; ``CommandError`` where there is none."""
    found = Person.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if found is None:
        raise CommandError("There is no administrator. Make one with createperson --admin.")
    return access.person_actor(found, via=Via.COMMAND)


def days(text: str) -> int:
    """``30d`` or ``30``: whole days from 1 to 3650. ``ValueError`` otherwise, as argparse wants it."""
    match = re.fullmatch(r"(\d{1,4})d?", text.strip())
    if not match or not 1 <= int(match[1]) <= 3650:
        raise ValueError(text)
    return int(match[1])
