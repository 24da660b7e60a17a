"""Shortcuts: requests that are so many and so small that the way around them would cost the most.

A shortcut leads from the edge straight to a handler that opens no transaction of its own. The path
may end in a credential; from the edge on it is known as its route, so that no log and no metric
gets to see what stands there. The same handler stands behind a door of the application too, which
documents it, and answers to other methods.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

import msgspec

from pannier.web.exchange import Exchange

HEADERS: Final = [(b"content-type", b"application/json")]
# What is served, with the rest of the path, which may be empty.
Serve: TypeAlias = Callable[[Exchange, str], Awaitable[msgspec.Struct]]


class Shortcut(NamedTuple):
    """What serves a request, and the credential that its path ends in."""

    serve: Serve
    credential: str


class Served(NamedTuple):
    """What serves a path, by these methods."""

    serve: Serve
    methods: frozenset[str]


class Shortcuts:
    """Paths below one prefix that are served without being looked for."""

    def __init__(self, prefix: str = "", served: Mapping[str, Served] | None = None) -> None:
        self._prefix, self._served = prefix, served or {}

    def find(self, exchange: Exchange) -> Shortcut | None:
        """Find what serves a request, if it has a shortcut; forget the credential in its path."""
        if not self._prefix or not exchange.path.startswith(self._prefix):
            return None
        name, _, credential = exchange.path.removeprefix(self._prefix).partition("/")
        served = self._served.get(name)
        shown = name if served else "…"
        exchange.path = f"{self._prefix}{shown}/{{token}}" if credential else self._prefix + shown
        if served is None or exchange.method not in served.methods or "/" in credential:
            return None
        exchange.route = exchange.path
        return Shortcut(served.serve, credential)
