"""The desk: what a page asks of the house, through the doors that programs use.

A page knows no tables and no rules. It calls `GET /v1/orders` as an integrator would, only from
within: the same handler runs in the page's own transaction, with the operator as caller and actor,
and is held to what the operator's role may do. So pages and interface can never differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from litestar import Litestar, Response
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from pannier.accounts.auth import Caller
from pannier.console import permissions
from pannier.errors import Forbidden, Problem
from pannier.web import idempotency, versions
from pannier.web.exchange import SAFE_METHODS, Exchange
from pannier.web.spelling import encode

JSON: Final = (b"content-type", b"application/json")
# What a page sends says nothing about the calls that it makes.
OWN_HEADERS: Final = frozenset({b"content-type", b"content-length", b"if-match", b"authorization"})
Query = Mapping[str, Any]


class Rows(NamedTuple):
    """A page of a list, and where the next one begins."""

    rows: list[Any]
    cursor: str | None


class Desk:
    """Calls doors for the operator who is behind a request."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.caller: Caller = exchange.caller

    def may(self, method: str, template: str) -> bool:
        """Tell whether the operator may call a door, so that nobody is offered what is refused."""
        door = _doors(self.exchange.edge.app).get((method, template))
        return door is not None and permissions.may(self.caller.role, method, door)

    async def get(self, template: str, query: Query | None = None, /, **named: str) -> Any:  # noqa: ANN401 - any JSON
        """Read something, as plain JSON."""
        return _plain(await self._call("GET", template, named, query=query))

    async def rows(self, template: str, query: Query | None = None, /, **named: str) -> Rows:
        """Read a page of a list, under whichever prefix it is."""
        answer = await self._call("GET", template, named, query=query)
        value = _plain(answer)
        if isinstance(answer, Response):
            return Rows(value, _next(answer))
        if isinstance(value, list):
            return Rows(value, None)
        return Rows(value["data"], value["meta"]["next_cursor"])

    async def act(
        self,
        method: str,
        template: str,
        body: Any = None,  # noqa: ANN401 - any JSON
        /,
        *,
        version: str | int | None = None,
        **named: str,
    ) -> Any:  # noqa: ANN401 - any JSON
        """Change something; with a version, only if it is still the one that was looked at."""
        return _plain(await self._call(method, template, named, body=body, version=version))

    async def attempt(
        self,
        method: str,
        template: str,
        body: Any = None,  # noqa: ANN401 - any JSON
        /,
        *,
        tried: bool = False,
        **named: str,
    ) -> Problem | None:
        """Change one thing of several; what refuses it takes back nothing else, and is answered.

        One that is only `tried` changes nothing either way.
        """
        before = self.exchange.changed
        try:
            async with self.exchange.db.part(tried=tried):
                await self.act(method, template, body, **named)
        except Problem as problem:
            self.exchange.changed = before
            return problem
        self.exchange.changed = before or not tried
        return None

    async def answer(self, template: str, query: Query | None = None, /, **named: str) -> Any:  # noqa: ANN401 - a handler's answer
        """Take over what a door answers, be it a file or a stream."""
        return await self._call("GET", template, named, query=query)

    async def undo(self, problem: Problem) -> None:
        """Take back what a refused change wrote, so that the page about it shows what holds."""
        exchange = self.exchange
        exchange.failure, exchange.changed = problem, False
        if exchange.pending is None:
            await exchange.edge.database.undo(exchange.db, problem)
        elif not idempotency.remembered(problem):
            # The form's key is held until the answer to it is kept.
            await exchange.db.undo_to_mark()

    async def _call(
        self,
        method: str,
        template: str,
        named: Mapping[str, str],
        *,
        query: Query | None = None,
        body: Any = None,  # noqa: ANN401 - any JSON
        version: str | int | None = None,
    ) -> Any:  # noqa: ANN401 - a handler's answer
        door = self._door(method, template)
        needed = permissions.least(method, door)
        if not permissions.may(self.caller.role, method, door):
            raise Forbidden(f"This requires the {needed} role. Your role is {self.caller.role}.")
        with self._as(method, template, query, body, version):
            answer = await cast("Any", door.fn).call(self.exchange, named)
        self.exchange.changed |= method not in SAFE_METHODS
        return answer

    def _door(self, method: str, template: str) -> HTTPRouteHandler:
        return _doors(self.exchange.edge.app)[method, template]

    @contextmanager
    def _as(
        self,
        method: str,
        template: str,
        query: Query | None,
        body: Any,  # noqa: ANN401 - any JSON
        version: str | int | None,
    ) -> Iterator[None]:
        """Let the exchange be the call for a while."""
        exchange = self.exchange
        kept = (exchange.method, exchange.path, exchange.query, exchange.target, exchange.headers,
                exchange.body, exchange.unread, exchange.unchecked)  # fmt: skip
        spelled = urlencode(_given(query or {}), doseq=True).encode()
        # Whoever only asks for the head of a page gets no more of a stream either.
        heads = method == "GET" and exchange.method == "HEAD"
        exchange.method, exchange.path = "HEAD" if heads else method, template
        exchange.query = spelled
        exchange.target = template.encode() + b"?" + spelled
        exchange.headers = dict(
            [pair for pair in exchange.headers.items() if pair[0] not in OWN_HEADERS] + [JSON]
        )
        if version is not None:
            # What is no version is that of nothing there is, and refused as a stale one.
            exchange.headers[versions.HEADER] = f'"{version}"'.encode()
        exchange.body, exchange.unread = b"" if body is None else encode(body), False
        exchange.unchecked = False
        try:
            yield
        finally:
            (exchange.method, exchange.path, exchange.query, exchange.target, exchange.headers,
             exchange.body, exchange.unread, exchange.unchecked) = kept  # fmt: skip


@lru_cache(maxsize=4)
def _doors(app: Litestar) -> Mapping[tuple[str, str], HTTPRouteHandler]:
    return {
        (method, route.path_format): handler
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method, (handler, _) in route.route_handler_map.items()
    }


def _given(query: Query) -> list[tuple[str, Any]]:
    """Leave out what says nothing: an empty field of a form is no filter."""
    return [
        (name, value)
        for name, given in query.items()
        for value in (
            given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        )
        if value not in {"", None}
    ]


def _plain(answer: Any) -> Any:  # noqa: ANN401 - any JSON
    """Spell what a handler answers as a caller outside would read it."""
    if isinstance(answer, Response):
        content = answer.content
        encoded = content if isinstance(content, bytes) else encode(content)
    else:
        encoded = encode(answer)
    return msgspec.json.decode(encoded)


def _next(answer: Response[Any]) -> str | None:
    """Read where the next page begins out of `Link`."""
    link = answer.headers.get("Link", "")
    if not link:
        return None
    return dict(parse_qsl(urlsplit(link[1:].partition(">")[0]).query)).get("cursor")
