"""The official suite's server scenarios, every version of the protocol that it has, against the running product."""

import re
from pathlib import Path

import pytest

from tests.conformance import suite
from tests.conformance.bearing import bearing
from tests.conformance.conftest import Peer
from tests.conformance.not_applicable import BY_VERSION, CHECKS, EXTENSIONS, SCENARIOS, Reason
from tests.conformance.npm import EARLIER_SUITE, SUITE, Package
from tests.conformance.suite import Check
from tests.mcp.rpc import MODERN, Rpc

WIRE = "wire-schema-valid"
RUNS = [
    (SUITE, "2025-03-26"),
    (SUITE, "2025-06-18"),
    (SUITE, "2025-11-25"),
    (SUITE, "2026-07-28"),
    (EARLIER_SUITE, "2025-06-18"),
    (EARLIER_SUITE, "2025-11-25"),
]


@pytest.mark.parametrize(("package", "version"), RUNS, ids=[f"{p.version} {v}" for p, v in RUNS])
def test_the_server_passes_what_applies_to_it(peer: Peer, tmp_path: Path, package: Package, version: str) -> None:
    listed = suite.scenarios(package, "server", version)
    with bearing(peer.url, peer.token) as url:
        options = ["--url", f"{url}/mcp", "--suite", "all", "--spec-version", version]
        found = suite.run(package, "server", *options, results=tmp_path, prefix="server-")
    assert set(found) >= listed, "a scenario did not run at all"
    faults = [fault for name, checks in found.items() for fault in judge(name, version, checks)]
    assert faults == []
    if version != "2025-03-26":
        assert len([name for name in found if reason_of(name, version) is None]) >= 5


def reason_of(scenario: str, version: str) -> Reason | None:
    """Why the scenario does not apply; None where it does."""
    return SCENARIOS.get(scenario) or BY_VERSION.get((scenario, version))


def judge(scenario: str, version: str, checks: list[Check]) -> list[str]:
    """What is wrong with a scenario: a check that is not green, or nothing in it that was checked at all.

    One that does not apply must say so in the words that are expected of it, and what it sent on the wire counts.
    """
    whole = reason_of(scenario, version)
    faults, green = [], 0
    for check in checks:
        reason = whole or CHECKS.get((scenario, check.id))
        if check.status == "SUCCESS":
            green += check.id != WIRE
        elif check.id == WIRE or reason is None or not re.search(reason.said, check.told):
            faults.append(f"{scenario}: {check.status} {check.id}: {check.told[:300]}")
    if whole is None and not green:
        faults.append(f"{scenario}: nothing was checked")
    if whole is not None and green:
        faults.append(f"{scenario}: is said not to apply, and {green} checks were green")
    return faults


def test_a_green_scenario_without_a_green_check_is_a_fault() -> None:
    def check(status: str, id: str = "x", message: str = "") -> Check:
        return Check(scenario="ping", id=id, status=status, message=message, details={})

    assert judge("ping", MODERN, [check("SUCCESS")]) == []
    assert judge("ping", MODERN, []) == ["ping: nothing was checked"]
    assert judge("ping", MODERN, [check("SUCCESS", WIRE)]) == ["ping: nothing was checked"]
    for status in ("FAILURE", "WARNING", "SKIPPED", "INFO"):
        assert judge("ping", MODERN, [check("SUCCESS"), check(status)])
    assert judge("prompts-get-simple", MODERN, [check("FAILURE", message="it is not a prompt")]) == []
    assert judge("prompts-get-simple", MODERN, [check("FAILURE", message="timed out")])
    assert judge("prompts-get-simple", MODERN, [check("SUCCESS")])
    assert judge("prompts-get-simple", MODERN, [check("FAILURE", WIRE, message="it is not a prompt")])


def test_what_the_excuses_rest_on_is_so(peer: Peer) -> None:
    told = Rpc(peer.url, peer.token).answer("server/discover")["capabilities"]
    assert set(told) == {"tools", "resources", "prompts"}
    assert not any(told[name].get(flag) for name in told for flag in ("subscribe", "listChanged"))
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    rpc = Rpc(peer.url, peer.token, version="2025-11-25")
    response = rpc.post("initialize", params)
    assert set(response.json()["result"]["capabilities"]) == {"tools", "resources", "prompts"}
    assert "mcp-session-id" not in response.headers


def test_every_scenario_of_the_suite_has_a_place_here() -> None:
    versions = {version for _, version in RUNS}
    run = set().union(*(suite.scenarios(p, "server", version) for p, version in RUNS))
    extensions = suite.scenarios(SUITE, "server", "extension")
    assert set(EXTENSIONS) == extensions
    assert suite.everything(SUITE, "server") == run | extensions
    assert set(SCENARIOS) <= run
    assert {name for name, _ in BY_VERSION} | {name for name, _ in CHECKS} <= run
    assert suite.versions(SUITE, "server") == versions | {"extension"}
