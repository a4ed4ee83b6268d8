"""Refreshing: each token once, and a second use ends the family."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from allauth.idp.oidc.models import Token
from django.db import OperationalError, connection
from django.utils import timezone

from tests.cast import Cast
from tests.oauth.conftest import Host, browser_of, register, together, works
from tests.oauth.test_codes_redeem import refused
from workspace.models import Agent, Connection
from workspace.services import agents, registrations


def after_grace() -> None:
    """As if the tokens that are used by now had been used a minute ago."""
    Token.objects.filter(type="rx").update(created_at=timezone.now() - timedelta(minutes=1))


def test_a_refresh_token_is_replaced(host: Host) -> None:
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    third = host.refresh(second["refresh_token"]).json()
    assert len({found["refresh_token"] for found in (first, second, third)}) == 3
    assert Token.objects.filter(type="rt").count() == 1
    assert third["refresh_expires_in"] <= 30 * 24 * 3600


def test_an_access_token_lasts_beyond_a_refresh_until_its_own_end(host: Host) -> None:
    first = host.sign_in()
    host.refresh(first["refresh_token"])
    assert works(first["access_token"])
    Token.objects.filter(type="at").update(expires_at=timezone.now() - timedelta(seconds=1))
    assert not works(first["access_token"])


def test_a_replayed_token_ends_its_family(host: Host, cast: Cast) -> None:
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    after_grace()
    other = Host(browser=browser_of(cast, "alice")).register().sign_in()
    answer = host.refresh(first["refresh_token"])
    assert refused(answer)
    assert "used before" in answer.json()["error_description"]
    for found in (first, second):
        assert not works(found["access_token"])
        assert refused(host.refresh(found["refresh_token"]))
    # Of other sign-ins of the same person none is touched.
    assert works(other["access_token"])
    assert Connection.objects.exclude(ended_at=None).get().ended_why == "refresh token used twice"


def test_without_grace_the_first_replay_ends_the_family(host: Host, settings: Any) -> None:
    settings.BATON_OAUTH_REFRESH_GRACE_S = 0
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    assert refused(host.refresh(first["refresh_token"]))
    assert not works(second["access_token"])
    assert refused(host.refresh(second["refresh_token"]))


def test_a_second_use_in_a_moment_is_refused_and_ends_nothing(host: Host) -> None:
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    answer = host.refresh(first["refresh_token"])
    assert refused(answer)
    assert "a moment ago" in answer.json()["error_description"]
    assert works(second["access_token"])
    assert host.refresh(second["refresh_token"]).status_code == 200


def test_the_moment_is_over_once_the_next_token_is_used(host: Host) -> None:
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    third = host.refresh(second["refresh_token"]).json()
    assert refused(host.refresh(first["refresh_token"]))
    assert not works(third["access_token"])


def test_the_token_of_another_client_ends_nothing(host: Host) -> None:
    other = register({}).json()["client_id"]
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    after_grace()
    assert refused(host.refresh(first["refresh_token"], client_id=other))
    assert works(second["access_token"])


def test_of_four_at_once_one_goes_on(committed_cast: Cast) -> None:
    host = Host(browser=browser_of(committed_cast, "alice")).register()
    first = host.sign_in()
    answers = at_once(host, first["refresh_token"])
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    won = next(answer.json() for answer in answers if answer.status_code == 200)
    assert Token.objects.filter(type="rt").count() == 1
    assert works(won["access_token"])
    assert host.refresh(won["refresh_token"]).status_code == 200


def test_four_at_once_without_grace_end_the_family(committed_cast: Cast, settings: Any) -> None:
    settings.BATON_OAUTH_REFRESH_GRACE_S = 0
    host = Host(browser=browser_of(committed_cast, "alice")).register()
    first = host.sign_in()
    answers = at_once(host, first["refresh_token"])
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]
    won = next(answer.json() for answer in answers if answer.status_code == 200)
    assert not works(won["access_token"])
    assert not Token.objects.filter(type__in=["at", "rt"]).exists()


def test_a_refresh_and_a_revocation_at_once_leave_nothing_alive(committed_cast: Cast) -> None:
    for _ in range(3):
        host = Host(browser=browser_of(committed_cast, "alice")).register()
        first = host.sign_in()
        answer, _ = together(
            partial(host.refresh, first["refresh_token"]),
            partial(host.post, "/oauth/revoke", token=first["refresh_token"], client_id=host.client_id),
        )
        found = answer.json()
        assert not works(first["access_token"])
        if "access_token" in found:
            assert not works(found["access_token"])
            assert refused(host.refresh(found["refresh_token"]))
        assert not Token.objects.filter(type__in=["at", "rt"]).exists()


def at_once(host: Host, token: str) -> list[Any]:
    return together(*[partial(host.refresh, token)] * 4)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"refresh_token": "forged"}, "invalid_grant"),
        ({"refresh_token": None}, "invalid_request"),
        ({"refresh_token": "x\x00y"}, "invalid_request"),
        ({"client_id": None}, "invalid_client"),
        ({"client_id": "unknown"}, "invalid_client"),
        ({"client_secret": "x"}, "invalid_client"),
        ({"resource": "https://other.example"}, "invalid_target"),
        ({"resource": "http://127.0.0.1:8000"}, "invalid_target"),
        ({"resource": "nonsense"}, "invalid_target"),
        ({"scope": "openid"}, "invalid_scope"),
        ({"scope": "workspace:read admin"}, "invalid_scope"),
    ],
)
def test_nothing_else_refreshes(host: Host, change: dict[str, Any], error: str) -> None:
    first = host.sign_in()
    refused(host.refresh(first["refresh_token"], **change), error, 401 if error == "invalid_client" else 400)
    assert host.refresh(first["refresh_token"]).status_code == 200


def test_another_client_cannot_refresh(host: Host) -> None:
    first = host.sign_in()
    other = register({}).json()["client_id"]
    assert refused(host.refresh(first["refresh_token"], client_id=other))
    assert host.refresh(first["refresh_token"]).status_code == 200


def test_no_other_kind_of_token_refreshes(host: Host, cast: Cast) -> None:
    code = host.code()
    first = host.exchange(code).json()
    for token in (code, first["access_token"], cast.tokens["scout"]):
        assert refused(host.refresh(token))


def test_no_other_kind_of_token_is_let_in(host: Host) -> None:
    code = host.code()
    assert not works(code)
    first = host.exchange(code).json()
    assert not works(first["refresh_token"])
    host.refresh(first["refresh_token"])
    assert not works(first["refresh_token"])


def test_a_narrowed_refresh_narrows_that_token_alone(host: Host) -> None:
    first = host.sign_in()
    second = host.refresh(first["refresh_token"], scope="workspace:read").json()
    assert second["scope"] == "workspace:read"
    # RFC 6749, section 6: the next refresh token is for what the first one was for.
    assert host.refresh(second["refresh_token"]).json()["scope"] == "workspace:read workspace:write"


def test_a_refresh_token_expires(host: Host) -> None:
    first = host.sign_in()
    Token.objects.filter(type="rt").update(expires_at=timezone.now() - timedelta(seconds=1))
    assert refused(host.refresh(first["refresh_token"]))


def test_a_revoked_agent_cannot_refresh(host: Host, cast: Cast) -> None:
    first = host.sign_in()
    agents.revoke(cast.alice, agent=Connection.objects.get().agent_id)
    assert not works(first["access_token"])
    assert refused(host.refresh(first["refresh_token"]))


def test_an_expired_agent_cannot_refresh(host: Host) -> None:
    first = host.sign_in(form={"expires": "1"})
    Agent.objects.filter(connection__isnull=False).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert not works(first["access_token"])
    assert refused(host.refresh(first["refresh_token"]))


def test_a_deactivated_person_cannot_refresh_not_even_in_a_retry(host: Host, cast: Cast) -> None:
    first = host.sign_in()
    second = host.refresh(first["refresh_token"]).json()
    cast.people["alice"].is_active = False
    cast.people["alice"].save()
    assert refused(host.refresh(first["refresh_token"]))
    assert refused(host.refresh(second["refresh_token"]))
    assert not works(second["access_token"])


def test_a_family_keeps_its_ten_newest_access_tokens(host: Host) -> None:
    found = host.sign_in()
    oldest = found["access_token"]
    for _ in range(12):
        found = host.refresh(found["refresh_token"]).json()
    assert Token.objects.filter(type="at").count() == 10
    assert works(found["access_token"])
    assert not works(oldest)


def test_consenting_again_for_the_same_agent_ends_what_it_held(host: Host) -> None:
    first = host.sign_in()
    agent = Connection.objects.get().agent_id
    second = host.sign_in(form={"agent": agent})
    assert Connection.objects.get().agent_id == agent
    assert not works(first["access_token"])
    assert refused(host.refresh(first["refresh_token"]))
    assert works(second["access_token"])


def test_two_sign_ins_of_one_client_stand_side_by_side(host: Host) -> None:
    first, second = host.sign_in(), host.sign_in()
    assert host.post("/oauth/revoke", token=first["refresh_token"], client_id=host.client_id).status_code == 200
    assert not works(first["access_token"])
    assert works(second["access_token"])


def test_tokens_past_their_end_are_cleared_away(host: Host) -> None:
    found = host.sign_in()
    host.refresh(found["refresh_token"])
    Token.objects.exclude(type="rt").update(expires_at=timezone.now() - timedelta(hours=2))
    registrations.expire()
    assert list(Token.objects.values_list("type", flat=True)) == ["rt"]


def test_a_refresh_during_an_outage_is_tried_again_with_the_same_token(host: Host) -> None:
    held = host.sign_in()["refresh_token"]

    def away(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("INSERT"):
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, *rest)

    with connection.execute_wrapper(away):
        answer = host.refresh(held)
    assert (answer.status_code, answer.json()["error"]) == (503, "temporarily_unavailable")
    assert int(answer["Retry-After"]) > 0
    assert works(host.refresh(held).json()["access_token"])
