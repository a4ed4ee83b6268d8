"""The first sign-in link: good once, for a day, while nobody has an account."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from workspace.errors import Gone, Invalid
from workspace.models import Person, SignInLink
from workspace.services import welcome

GOOD = {"email": "Ann@Example.org ", "name": " Ann ", "password": "correct horse battery"}


@pytest.mark.django_db
def test_a_link_makes_the_administrator_once() -> None:
    token = welcome.make_link()
    assert welcome.is_open(token)
    person = welcome.redeem(token, **GOOD)
    assert (person.email, person.name, person.is_superuser) == ("ann@example.org", "Ann", True)
    assert person.check_password(GOOD["password"])
    assert not welcome.is_open(token)
    with pytest.raises(Gone):
        welcome.redeem(token, **GOOD)


@pytest.mark.django_db
def test_the_token_itself_is_not_stored() -> None:
    token = welcome.make_link()
    assert token not in str(SignInLink.objects.values().get())


@pytest.mark.django_db
def test_a_new_link_replaces_the_one_before() -> None:
    first, second = welcome.make_link(), welcome.make_link()
    assert not welcome.is_open(first)
    assert welcome.is_open(second)


@pytest.mark.django_db
def test_a_link_expires() -> None:
    token = welcome.make_link()
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert not welcome.is_open(token)
    with pytest.raises(Gone):
        welcome.redeem(token, **GOOD)


@pytest.mark.django_db
def test_a_link_is_worth_nothing_once_somebody_has_an_account() -> None:
    token = welcome.make_link()
    Person.objects.create_user("bob@example.org")
    assert not welcome.is_open(token)
    with pytest.raises(Gone):
        welcome.redeem(token, **GOOD)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("email", ""),
        ("email", "ann"),
        ("name", " "),
        ("name", "a\x00b"),
        ("name", "x" * 201),
        ("password", "short"),
        ("password", "1234567890"),
    ],
)
def test_what_a_person_has_to_mend_is_named_and_leaves_the_link_good(field: str, value: str) -> None:
    token = welcome.make_link()
    with pytest.raises(Invalid) as caught:
        welcome.redeem(token, **GOOD | {field: value})
    assert {error.field for error in caught.value.errors} == {field}
    assert welcome.is_open(token)
    assert not Person.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_browsers_with_one_link_make_one_administrator() -> None:
    token = welcome.make_link()
    outcomes: list[str] = []
    begin = threading.Barrier(2)

    def redeem(email: str) -> None:
        begin.wait()
        try:
            welcome.redeem(token, **GOOD | {"email": email})
            outcomes.append("made")
        except Gone:
            outcomes.append("gone")
        finally:
            connection.close()

    threads = [threading.Thread(target=redeem, args=(f"{name}@example.org",)) for name in ("ann", "eve")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["gone", "made"]
    assert Person.objects.count() == 1
