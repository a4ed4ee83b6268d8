"""Every address of the product, from its own tables of addresses, with the methods that it takes."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, resolve


@dataclass(frozen=True)
class Route:
    """One address as it is declared, such as ``d/<path:location>``. ``methods`` is empty where a library's view does
    not say which it takes."""

    address: str
    methods: frozenset[str]
    view: Any


SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def routes() -> list[Route]:
    """All of them, those of libraries included."""
    return list(_below(get_resolver().url_patterns, ""))


def _below(patterns: list[Any], prefix: str) -> Iterator[Route]:
    for pattern in patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _below(pattern.url_patterns, address)
        elif isinstance(pattern, URLPattern):
            yield Route(address=address, methods=_methods(pattern.callback), view=pattern.callback)


def _methods(view: Any) -> frozenset[str]:
    """The methods that ``view`` takes: of the dispatch of ``verbs``, or of a class."""
    for inner in _unwrapped(view):
        if inspect.isfunction(inner) and isinstance(
            verbs := inspect.getclosurevars(inner).nonlocals.get("views"), dict
        ):
            return frozenset(verbs)
        kind = getattr(inner, "view_class", None) or getattr(inner, "cls", None)
        if kind is not None:
            names = (name.upper() for name in kind.http_method_names if callable(getattr(kind, name, None)))
            return frozenset(names) - {"HEAD", "OPTIONS"}
    return frozenset()


def _unwrapped(view: Any) -> Iterator[Any]:
    while view is not None:
        yield view
        view = getattr(view, "__wrapped__", None)


def route_of(path: str) -> str:
    """The address as declared that ``path`` leads to."""
    return str(resolve(path.partition("?")[0]).route)
