"""What comes of a form's hidden fields."""

from workspace.errors import NotFound

DIGITS = 18
"""Of the longest number that the database takes for an id."""


def number(value: str) -> int:
    """An id. Raises ``NotFound`` for what can be none."""
    if not (value.isascii() and value.isdigit() and len(value) <= DIGITS):
        raise NotFound
    return int(value)
