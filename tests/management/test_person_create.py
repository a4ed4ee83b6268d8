"""`createperson` and `mint_token`."""

import io
from datetime import timedelta

import pytest
from django.utils import timezone

from tests.cast import Cast
from workspace.actor import Role, Via
from workspace.errors import Unauthenticated
from workspace.models import Agent, AgentToken, Person
from workspace.services import bearer


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    """Puts a text on standard input."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_a_person_is_made_with_the_password_of_the_first_line(manage, typed):
    typed("a rather long one\r\nnot this\n")
    ran = manage("createperson", "Dana@Example.org", "--name", "Dana", "--password-stdin")
    dana = Person.objects.get()
    assert (dana.email, dana.name, dana.is_superuser) == ("dana@example.org", "Dana", False)
    assert dana.check_password("a rather long one")
    assert ran.out == "Made person dana@example.org.\n"


def test_an_administrator_may_use_the_admin(manage, typed):
    typed("")
    manage("createperson", "root@example.org", "--admin")
    root = Person.objects.get()
    assert root.is_superuser
    assert root.is_staff
    assert not root.has_usable_password()


@pytest.mark.parametrize(
    ("arguments", "stdin", "named"),
    [
        (["not-an-address"], "", "email"),
        (["DANA@example.org"], "", "email"),
        (["eve@example.org", "--password-stdin"], "short\n", "password"),
        (["eve@example.org", "--password-stdin"], "\n", "--password-stdin"),
        (["eve@example.org", "--name", "a\nb"], "", "name"),
    ],
)
def test_what_cannot_be_taken_is_named_and_nobody_is_made(manage, typed, arguments, stdin, named):
    Person.objects.create(email="dana@example.org")
    typed(stdin)
    assert named in manage("createperson", *arguments).error
    assert Person.objects.count() == 1


def test_a_token_is_printed_alone_and_is_stored_hashed(manage, cast: Cast):
    ran = manage("mint_token", "--person", "Alice@example.org", "--agent", "courier")
    token = ran.out.strip()
    assert ran.out == token + "\n"
    assert ran.err == ""
    actor = bearer.authenticate(token, via=Via.REST)
    assert (actor.email, actor.agent_name, actor.scopes) == ("alice@example.org", "courier", ())
    assert not AgentToken.objects.filter(token_hash=token).exists()


def test_scopes_narrow_the_agent_and_expiry_is_in_days(manage, cast: Cast):
    ran = manage(
        "mint_token", "--person", "alice@example.org", "--agent", "courier", "--expires", "30d",
        "--scope", "viewer@product", "--scope", "editor@product/launch",
    )  # fmt: skip
    actor = bearer.authenticate(ran.out.strip(), via=Via.REST)
    assert {scope.role for scope in actor.scopes} == {Role.VIEWER, Role.EDITOR}
    left = AgentToken.objects.get(agent__name="courier").expires_at - timezone.now()
    assert timedelta(days=29) < left <= timedelta(days=30)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--person", "nobody@example.org", "--agent", "x"], "nobody@example.org"),
        (["--person", "alice@example.org", "--agent", "x", "--scope", "editor@no/such/place"], "no/such/place"),
        (["--person", "alice@example.org", "--agent", "x", "--scope", "owner@product"], "role"),
        (["--person", "alice@example.org", "--agent", "x", "--expires", "soon"], "--expires"),
        (["--person", "alice@example.org", "--agent", "scout"], "agent of this name"),
    ],
)
def test_what_cannot_be_minted_says_why_and_prints_no_token(manage, cast: Cast, arguments, named):
    before = Agent.objects.count()
    ran = manage("mint_token", *arguments)
    assert named in ran.error
    assert ran.out == ""
    assert Agent.objects.count() == before


def test_the_token_of_somebody_deactivated_is_refused(manage, cast: Cast):
    token = manage("mint_token", "--person", "alice@example.org", "--agent", "courier").out.strip()
    Person.objects.filter(email="alice@example.org").update(is_active=False)
    with pytest.raises(Unauthenticated):
        bearer.authenticate(token, via=Via.REST)
    assert "alice" in manage("mint_token", "--person", "alice@example.org", "--agent", "other").error
