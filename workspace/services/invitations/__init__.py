"""Invitations: who may let whom in, as what, and what becomes of the link."""

from workspace.services.invitations.sending import MOST_USES, Invited, create, renew, revoke
from workspace.services.invitations.taking import ENDED, Offer, accept, admits, join, offer, sign_up
from workspace.services.invitations.terms import location_of, role_of

__all__ = [
    "ENDED",
    "MOST_USES",
    "Invited",
    "Offer",
    "accept",
    "admits",
    "create",
    "join",
    "location_of",
    "offer",
    "renew",
    "revoke",
    "role_of",
    "sign_up",
]
