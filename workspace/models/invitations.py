"""Invitations: how somebody without an account gets one where sign-up is closed."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from workspace.models.agents import ROLES
from workspace.models.documents import Document
from workspace.models.folders import Folder
from workspace.models.ids import invitation_id
from workspace.models.people import Group, Person


class Invitation(models.Model):
    """A link that makes an account; only the hash of its token is stored.

    With ``email`` it is for that address and used once; without, it is a link for up to ``uses`` people. Whoever
    accepts it gets ``role`` at its place, where it names one, and is put into ``groups``.
    """

    id = models.CharField(primary_key=True, max_length=32, default=invitation_id, editable=False)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    email = models.EmailField(max_length=254, blank=True)
    invited_by = models.ForeignKey(Person, models.PROTECT, related_name="invitations", editable=False)
    folder = models.ForeignKey(Folder, models.CASCADE, null=True, blank=True, related_name="+")
    document = models.ForeignKey(Document, models.CASCADE, null=True, blank=True, related_name="+")
    role = models.PositiveSmallIntegerField(choices=ROLES, null=True, blank=True)
    groups = models.ManyToManyField(Group, blank=True, related_name="+")
    uses = models.PositiveIntegerField(default=1)
    accepted_by = ArrayField(models.BigIntegerField(), default=list, blank=True, editable=False)
    """Ids of the people whom it made, in order."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(folder=None) | models.Q(document=None), name="invitation_one_place"
            ),
            models.CheckConstraint(
                condition=models.Q(role=None, folder=None, document=None)
                | (models.Q(role__isnull=False) & (models.Q(folder__isnull=False) | models.Q(document__isnull=False))),
                name="invitation_role_has_place",
            ),
            models.CheckConstraint(condition=models.Q(email="") | models.Q(uses=1), name="invitation_one_address"),
            models.CheckConstraint(
                condition=models.Q(accepted_by__len__lte=models.F("uses")), name="invitation_not_overused"
            ),
        ]

    def __str__(self) -> str:
        if self.email:
            return self.email
        people = "one person" if self.uses == 1 else f"{self.uses} people"
        return f"a link for {people} (…{self.pk[-6:]})"
