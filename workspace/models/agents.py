"""Agents that act for a person, what narrows them, and their tokens."""

from django.db import models
from django.db.models.functions import Now

from workspace.actor import Role
from workspace.models.ids import agent_id, connection_id
from workspace.models.people import Person

ROLES = [(role.value, role.label) for role in Role]


class Agent(models.Model):
    """A program acting for ``person``: its reach is the person's, narrowed by its scopes."""

    id = models.CharField(primary_key=True, max_length=32, default=agent_id, editable=False)
    person = models.ForeignKey(Person, models.CASCADE, related_name="agents")
    name = models.CharField(max_length=200)
    host = models.CharField(max_length=64, blank=True, help_text="The program it runs in, such as claude-code.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_seen_at = models.DateTimeField(null=True, blank=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, help_text="It reaches nothing from then on.")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "name"], condition=models.Q(revoked_at=None), name="agent_name_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AgentScope(models.Model):
    """At most ``role`` at one folder and below, or on one document; with neither, everywhere.

    A place that an agent is narrowed to cannot be deleted under it: without its last scope it would reach everything.
    """

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="scopes")
    role = models.PositiveSmallIntegerField(choices=ROLES)
    folder = models.ForeignKey("Folder", models.PROTECT, null=True, blank=True)
    document = models.ForeignKey("Document", models.PROTECT, null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(folder=None) | models.Q(document=None), name="agent_scope_one_place"
            ),
        ]

    def __str__(self) -> str:
        return f"{Role(self.role).label}@{self.folder_id or self.document_id or 'everywhere'}"


class AgentToken(models.Model):
    """A bearer token of an agent. ``prefix`` is for people to recognise it; only the hash is stored."""

    agent = models.ForeignKey(Agent, models.CASCADE, related_name="tokens")
    prefix = models.CharField(max_length=12, editable=False)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.prefix}…"


class Connection(models.Model):
    """What a person consented to when a program asked over OAuth to act for them: one per agent.

    ``grant_id`` is what the authorization server calls the family of tokens that came of the consent; a later
    consent for the same agent brings another, and with it the end of the earlier family.
    """

    id = models.CharField(primary_key=True, max_length=32, default=connection_id, editable=False)
    agent = models.OneToOneField(Agent, models.CASCADE, related_name="connection")
    grant_id = models.CharField(max_length=64, unique=True, editable=False)
    client_id = models.CharField(max_length=2000, editable=False)
    client_name = models.CharField(max_length=200, blank=True, editable=False)
    client_host = models.CharField(
        max_length=255, blank=True, editable=False, help_text="Host of the client id's own document, which vouches."
    )
    redirect_host = models.CharField(max_length=255, blank=True, editable=False)
    resource = models.CharField(max_length=2000, editable=False)
    scopes = models.CharField(max_length=200, editable=False, help_text="OAuth scopes, divided by spaces.")
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    consented_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True, blank=True, editable=False)
    ended_why = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        indexes = [models.Index(models.F("client_id"), name="connection_client")]

    def __str__(self) -> str:
        return f"{self.client_name or self.client_id} as {self.agent_id}"
