"""Every body that REST takes: an unknown field and a wrong type are refused by name. (``tests/mcp/test_arguments.py``
asks the same of every tool; a browser's form has no types, and its further fields are the browser's business.)"""

from typing import Any

import pytest

from tests.cast import Cast
from tests.parity import rows
from tests.parity.surfaces import Rest

BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/folders"): {"location": "product/launch/x"},
    ("PATCH", "/folders/product/launch"): {"retention_days": 3},
    ("POST", "/documents"): {"location": "product/launch/x.md", "content": "x", "message": "m", "reason": "r"},
    ("PUT", "/documents/product/launch/plan.md"): {"content": "x", "on_conflict": "merge", "message": "m"},
    ("PATCH", "/documents/product/launch/plan.md"): {"old_string": "slow", "new_string": "x", "replace_all": True},
    ("PATCH", "/documents/product/launch/plan.md?"): {"append": "x", "reason": "r"},
    ("PATCH", "/documents/product/launch/plan.md?x"): {"section": "Risks", "content": "x", "on_conflict": "merge"},
    ("POST", "/undeletes"): {"location": "product/launch/plan.md", "message": "m"},
    ("POST", "/moves"): {
        "from": "product/launch/plan.md", "to": "product/launch/y.md", "acknowledge_access_change": True,
        "expected_commit": "0123456789",
    },
    ("POST", "/restores"): {
        "location": "product/launch/plan.md", "commit": "0123456789", "expected_commit": "0123456", "section": "Goals",
        "on_conflict": "merge", "confirm_shrink": True,
    },
    ("POST", "/conflicts/cfl_1/resolution"): {
        "choices": ["mine"], "content": "x", "expected_commit": "0123456789", "confirm_drop": True,
    },
    ("POST", "/captures"): {
        "folder": "product/launch", "content": "x", "operation_id": "o", "host": "h", "session": "s", "event": "e",
        "retention_days": 3,
    },
    ("POST", "/grants"): {"location": "product/launch", "subject": "carol@example.org", "role": "viewer"},
}  # fmt: skip


@pytest.mark.parametrize(("method", "path"), BODIES)
def test_an_unknown_field_and_a_wrong_type_are_named(cast: Cast, plan: str, method: str, path: str) -> None:
    alice, good = Rest(cast, "alice"), BODIES[method, path]
    before = rows.state()
    tried: list[tuple[str, Any]] = [("surprise", 1)]
    tried += [(name, wrong) for name in good for wrong in (5 if name != "retention_days" else "5", [1], {"a": 1})]
    tried += [(name, None) for name in good if name != "retention_days"]
    for name, wrong in tried:
        headers = {"Idempotency_Key": "k", **({"If_Match": f'"{plan}"'} if method == "PUT" else {})}
        response = alice.call(method, path, {**good, name: wrong}, **headers)
        assert (response.status_code, response.json()["code"]) == (422, "INVALID"), (name, wrong)
        named = {error["field"].partition("[")[0] for error in response.json()["errors"]}
        assert named == {name}, (name, wrong, named)
    assert rows.state() == before
