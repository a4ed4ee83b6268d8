"""A credential that the authorization server refuses is in the audit log, and what was shown is not."""

import json

import pytest

from tests.oauth.conftest import REGISTER, TOKEN, Host
from workspace.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_a_forged_code_is_recorded_without_it(host: Host) -> None:
    answer = host.post(
        TOKEN,
        grant_type="authorization_code",
        code="a-forged-code-that-nobody-made",
        client_id=host.client_id,
        redirect_uri=host.redirect_uri,
        code_verifier=host.verifier,
    )
    assert json.loads(answer.content)["error"] == "invalid_grant"
    entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.denied, entry.person_id) == ("token.refused", True, None)
    assert (entry.subject, entry.data["code"], entry.address) == (host.client_id, "INVALID_GRANT", "127.0.0.1")
    assert entry.data["call"] == f"POST {TOKEN}"
    whole = repr(list(AuditEntry.objects.values()))
    assert "a-forged-code" not in whole
    assert host.verifier not in whole


def test_a_malformed_request_is_no_attempt(host: Host) -> None:
    before = AuditEntry.objects.filter(denied=True).count()
    assert host.post(TOKEN, grant_type="telepathy", client_id=host.client_id).status_code == 400
    assert host.wire.post(REGISTER, "{", content_type="application/json").status_code == 400
    assert AuditEntry.objects.filter(denied=True).count() == before
