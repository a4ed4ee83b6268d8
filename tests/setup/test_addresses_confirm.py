"""Accounts made before addresses were confirmed keep on working, and the first administrator enters."""

import importlib
import re

import pytest
import requests
from django.apps import apps

from tests.cast import PASSWORD
from tests.instance import Instance
from workspace.models import Person

migration = importlib.import_module("workspace.migrations.0006_verified_addresses")


@pytest.mark.django_db
def test_whoever_had_an_account_keeps_it_and_nothing_else_is_confirmed() -> None:
    ann = Person.objects.create(email="ann@example.org")
    bob = Person.objects.create(email="bob@example.org")
    bob.emailaddress_set.create(email="bob@example.org", verified=False)
    bob.emailaddress_set.create(email="other@example.org", verified=False, primary=True)
    eve = Person.objects.create_user("eve@example.org")
    for _ in range(2):
        migration.confirm(apps, None)

    def addresses(person: Person) -> list[tuple[str, bool, bool]]:
        return list(person.emailaddress_set.order_by("email").values_list("email", "verified", "primary"))

    assert addresses(ann) == [("ann@example.org", True, True)]
    assert addresses(bob) == [("bob@example.org", True, True), ("other@example.org", False, False)]
    assert addresses(eve) == [("eve@example.org", True, True)]


def test_the_first_administrator_and_who_the_command_makes_enter_without_mail(instance: Instance) -> None:
    instance.start()
    first = requests.Session()

    def send(browser: requests.Session, address: str, **sent: str) -> requests.Response:
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get(address, timeout=30).text)
        assert found
        return browser.post(address, data={**sent, "csrfmiddlewaretoken": found[1]}, timeout=30)

    begun = send(first, instance.welcome, email="ann@example.org", name="Ann", password=PASSWORD)
    assert begun.url == f"{instance.url}/"
    instance.manage("createperson", "bob@example.org", "--password-stdin", text=f"{PASSWORD}\n")
    for name in ("ann", "bob"):
        browser = requests.Session()
        entered = send(browser, f"{instance.url}/accounts/login/", login=f"{name}@example.org", password=PASSWORD)
        assert entered.url == f"{instance.url}/"

    lost = requests.Session()
    before = len(instance.lines)
    send(lost, f"{instance.url}/accounts/password/reset/", email="bob@example.org")
    printed = instance.expect(r"/accounts/password/reset/key/\S+", after=before)
    assert f" {instance.url}/accounts/" in printed
