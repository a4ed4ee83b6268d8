"""Other services that let people in, as environment variables name them."""

from pathlib import Path

import pytest

from workspace.config import sign_in
from workspace.config.environment import Environment, WrongValue

OIDC = {
    "BATON_OIDC_URL": "https://id.example.org/realms/main",
    "BATON_OIDC_CLIENT_ID": "baton",
    "BATON_OIDC_CLIENT_SECRET": "secret",
}


def providers(given: dict[str, str]) -> dict[str, dict]:
    return sign_in.providers(Environment(variables=given), signup="closed")


def test_nothing_given_is_nothing_offered() -> None:
    assert providers({}) == {}


def test_each_service_is_two_or_three_variables() -> None:
    pairs = {
        f"BATON_{name}_CLIENT_{half}": half.lower()
        for name in ("GOOGLE", "GITHUB", "GITLAB", "MICROSOFT")
        for half in ("ID", "SECRET")
    }
    found = providers({**OIDC, **pairs, "BATON_GITLAB_URL": "https://git.example.org/"})

    assert set(found) == {"openid_connect", "google", "github", "gitlab", "microsoft"}
    assert all(app["APPS"][0]["secret"] in {"secret"} for app in found.values())
    assert found["openid_connect"]["APPS"][0]["name"] == "Single sign-on"
    assert found["gitlab"]["APPS"][0]["settings"]["gitlab_url"] == "https://git.example.org"


@pytest.mark.parametrize("left_out", list(OIDC))
def test_a_missing_part_is_named(left_out: str) -> None:
    with pytest.raises(WrongValue) as caught:
        providers({name: value for name, value in OIDC.items() if name != left_out})
    assert caught.value.name == left_out
    assert "secret" not in str(caught.value).replace("CLIENT_SECRET", "")


@pytest.mark.parametrize("address", ["http://id.example.org", "id.example.org", "https://", "ftp://id.example.org"])
def test_secrets_go_to_no_address_without_tls(address: str) -> None:
    with pytest.raises(WrongValue) as caught:
        providers({**OIDC, "BATON_OIDC_URL": address})
    assert caught.value.name == "BATON_OIDC_URL"


def test_a_secret_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("from the file\n")
    given = {name: value for name, value in OIDC.items() if name != "BATON_OIDC_CLIENT_SECRET"}
    found = providers({**given, "BATON_OIDC_CLIENT_SECRET_FILE": str(tmp_path / "secret")})
    assert found["openid_connect"]["APPS"][0]["secret"] == "from the file"


def test_a_directory_of_anybody_confirms_no_address() -> None:
    pair = {"BATON_MICROSOFT_CLIENT_ID": "a", "BATON_MICROSOFT_CLIENT_SECRET": "b"}
    assert not providers(pair)["microsoft"]["APPS"][0]["settings"]["verified_email"]
    own = providers({**pair, "BATON_MICROSOFT_TENANT": "example.org"})
    assert own["microsoft"]["APPS"][0]["settings"]["verified_email"]
    with pytest.raises(WrongValue):
        providers({**pair, "BATON_MICROSOFT_TENANT": "a/../b"})
