"""Shortcuts for small, very frequent requests, whose routing would cost more than their work.

With a shortcut, the edge calls a handler directly, without a transaction. The path may end in a
credential. The edge replaces such a path with its route, so that logs and metrics never contain
the credential. The application also has the handler as a normal route, which documents it and
serves other methods.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

import msgspec

from pannier.web.exchange import Exchange

HEADERS: Final = [(b"content-type", b"application/json")]
# A handler. Its second argument is the rest of the path, perhaps empty.
ShortcutHandler: TypeAlias = Callable[[Exchange, str], Awaitable[msgspec.Struct]]


class Shortcut(NamedTuple):
    """The handler of a request, and the credential from its path."""

    serve: ShortcutHandler
    credential: str


class ShortcutTarget(NamedTuple):
    """The handler of a path, and its methods."""

    serve: ShortcutHandler
    methods: frozenset[str]


class Shortcuts:
    """Paths below one prefix that bypass routing."""

    def __init__(
        self, prefix: str = "", targets: Mapping[str, ShortcutTarget] | None = None
    ) -> None:
        self._prefix, self._targets = prefix, targets or {}

    def find(self, exchange: Exchange) -> Shortcut | None:
        """Find a request's shortcut, and remove the credential from its path."""
        if not self._prefix or not exchange.path.startswith(self._prefix):
            return None
        name, _, credential = exchange.path.removeprefix(self._prefix).partition("/")
        target = self._targets.get(name)
        logged_name = name if target else "…"
        exchange.path = (
            f"{self._prefix}{logged_name}/{{token}}" if credential else self._prefix + logged_name
        )
        if target is None or exchange.method not in target.methods or "/" in credential:
            return None
        exchange.route = exchange.path
        return Shortcut(target.serve, credential)
