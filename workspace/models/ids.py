"""Public ids: a prefix that says the kind, then 26 sortable characters (time, then randomness)."""

import secrets
import time

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u


def new_id(prefix: str) -> str:
    """``doc_…``: 48 bits of milliseconds, then 80 random bits, in base 32; ids of one process sort by time."""
    number = (time.time_ns() // 1_000_000 << 80) | secrets.randbits(80)
    return prefix + "_" + "".join(ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))


def document_id() -> str:
    return new_id("doc")


def capture_id() -> str:
    return new_id("cap")


def conflict_id() -> str:
    return new_id("cfl")


def agent_id() -> str:
    return new_id("agt")


def job_id() -> str:
    return new_id("job")


def receipt_id() -> str:
    return new_id("rcp")


def connection_id() -> str:
    return new_id("con")


def invitation_id() -> str:
    return new_id("inv")


def binding_id() -> str:
    return new_id("bnd")


def access_request_id() -> str:
    return new_id("acr")
