"""The link of an invitation: a secret, of which only the hash is stored.

The one that is mailed holds a proof besides, which nobody but the reader of that mailbox sees: it confirms the address,
as the link that the inviter is shown does not.
"""

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from workspace.models import Invitation
from workspace.services.tokens import digest


def address(token: str) -> str:
    """The link as the inviter is shown it."""
    return str(settings.BATON_BASE_URL) + reverse("invitation", args=[token])


def mailed(token: str) -> str:
    """The link as it is mailed."""
    return f"{address(token)}.{_proof(token)}"


def stored(link: str) -> str:
    """What is stored of ``link``, with or without its proof."""
    return digest(link.partition(".")[0])


def confirmed(row: Invitation, link: str) -> bool:
    """Whether the holder of ``link`` has shown that the invitation's address is theirs, or an administrator has."""
    token, _, proof = link.partition(".")
    return bool(row.email) and (row.invited_by.is_superuser or constant_time_compare(proof, _proof(token)))


def _proof(token: str) -> str:
    return salted_hmac("workspace.invitations.mailed", token, algorithm="sha256").hexdigest()[:32]
