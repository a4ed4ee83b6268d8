"""Secrets that are shown once: of each only a hash is stored."""

import hashlib


def digest(token: str) -> str:
    """What is stored of a token. It has the entropy of a key, so a plain SHA-256 keeps it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
