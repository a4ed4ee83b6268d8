"""People and the groups they are in."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models, transaction
from django.db.models.functions import Lower, Now

GROUP = "group:"
"""How the subject of a grant begins where it is a group; a person is written as an address."""


def person_label(name: str, email: str) -> str:
    """The name to show for somebody: their own, else the local part of their address."""
    return name or email.partition("@")[0]


class PersonManager(BaseUserManager["Person"]):
    def create_user(self, email: str, password: str | None = None, *, verified: bool = True, **fields: Any) -> "Person":
        """A person with a normalised email address; without a password they cannot sign in by one.

        ``verified`` says that the address is known to be theirs, because somebody who may make accounts vouches for
        it or a link sent to it came back. Otherwise they confirm it by mail before their first sign-in.
        """
        person = self.model(email=self.normalize_email(email).lower(), **fields)
        person.set_password(password)
        with transaction.atomic(using=self._db):
            person.save(using=self._db)
            person.emailaddress_set.create(email=person.email, primary=True, verified=verified)
        return person

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "Person":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "Person":
        return self.get(email__iexact=username)


class Person(AbstractBaseUser, PermissionsMixin):
    """A member of the workspace. ``is_superuser`` is an administrator, who sees and manages everything."""

    email = models.EmailField(unique=True, max_length=254)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField("may use the Django admin", default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects: ClassVar[PersonManager] = PersonManager()
    # Rows that the sign-in library keeps of a person: addresses, passkeys and second steps, signed-in browsers.
    emailaddress_set: Any
    authenticator_set: Any
    usersession_set: Any

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name_plural = "people"
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                name="person_email_ci",
                violation_error_message="Somebody already uses this address.",
            ),
        ]

    def __str__(self) -> str:
        return self.email

    @property
    def label(self) -> str:
        """The name shown for this person."""
        return person_label(self.name, self.email)

    def get_full_name(self) -> str:
        return self.label

    def get_short_name(self) -> str:
        return self.label


class Group(models.Model):
    """A named set of people and of other groups; a grant to it is a grant to whoever is in it at that moment,
    through however many groups (the database's function ``workspace_groups_of`` says who)."""

    name = models.CharField(max_length=200, unique=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    members = models.ManyToManyField(Person, through="Membership", related_name="teams")

    def __str__(self) -> str:
        return self.name

    @property
    def subject(self) -> str:
        """How this group is written where a grant or the audit log names it."""
        return f"{GROUP}{self.name}"


class Membership(models.Model):
    """One person in one group."""

    group = models.ForeignKey(Group, models.CASCADE, related_name="memberships")
    person = models.ForeignKey(Person, models.CASCADE, related_name="memberships")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["group", "person"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.person_id} in {self.group_id}"


class Nesting(models.Model):
    """``inner`` is a part of ``outer``: who is in the one is in the other."""

    outer = models.ForeignKey(Group, models.CASCADE, related_name="inner_nestings")
    inner = models.ForeignKey(Group, models.CASCADE, related_name="outer_nestings")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["outer", "inner"], name="nesting_once"),
            models.CheckConstraint(condition=~models.Q(outer=models.F("inner")), name="nesting_not_itself"),
        ]

    def __str__(self) -> str:
        return f"{self.inner_id} in {self.outer_id}"


class SignInLink(models.Model):
    """A one-time link that signs somebody in; only the hash of its token is stored."""

    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    person = models.ForeignKey(Person, models.CASCADE, null=True, blank=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return f"sign-in link {self.pk}"
