"""Nothing saves a client that registration would refuse: not the admin, not a shell, not the library itself."""

from typing import Any

from allauth.idp.oidc.models import Client
from django.db.models.signals import pre_save
from django.dispatch import receiver

from workspace.oauth import registration


@receiver(pre_save, sender=Client, dispatch_uid="workspace.oauth.guard")
def refuse_wrong_clients(sender: type[Client], instance: Client, raw: bool = False, **_: Any) -> None:
    """Raises Django's ``ValidationError``; ``raw`` is a fixture's row, which is taken as it is."""
    if not raw:
        registration.check(instance)
