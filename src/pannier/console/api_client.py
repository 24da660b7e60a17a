"""Calls to the API from inside the process, on behalf of the operator.

A page knows no tables and no rules. It calls `GET /v1/orders` as an integrator would, but without a
connection: the same handler runs in the page's transaction, with the operator as caller and actor,
limited by the operator's role. So pages and the API cannot differ.
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
from pannier.files.uploads import Upload
from pannier.web import idempotency, versions
from pannier.web.exchange import SAFE_METHODS, Exchange
from pannier.web.serialization import encode

JSON_HEADER: Final = (b"content-type", b"application/json")
# Headers of the page's request that must not reach the API calls it makes.
PAGE_HEADERS: Final = frozenset({b"content-type", b"content-length", b"if-match", b"authorization"})
Query = Mapping[str, Any]


class ListPage(NamedTuple):
    """A page of a list, and the cursor of the next one."""

    rows: list[Any]
    cursor: str | None


class ApiClient:
    """Calls API handlers for the operator of a request."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.caller: Caller = exchange.caller
        # The records that match an ambiguous text, by field. The page offers them as a choice.
        self.record_choices: dict[str, Sequence[Any]] = {}

    @property
    def has_geocoder(self) -> bool:
        """Whether pages can offer address search."""
        return "geocoder" in self.exchange.edge.database.engines

    def is_allowed(self, method: str, template: str) -> bool:
        """Return whether the operator may call this route. Otherwise pages hide its buttons."""
        handler = _map_handlers(self.exchange.edge.app).get((method, template))
        return handler is not None and permissions.can_call(self.caller.role, method, handler)

    def require(self, method: str, template: str) -> None:
        """Refuse operators who may not call this route. For the form that calls it."""
        self._check_role(method, self._find_handler(method, template))

    async def get(self, template: str, query: Query | None = None, /, **path_params: str) -> Any:  # noqa: ANN401 - any JSON
        """Return a resource as plain JSON."""
        return _to_json(await self._call_handler("GET", template, path_params, query=query))

    async def list_rows(
        self, template: str, query: Query | None = None, /, **path_params: str
    ) -> ListPage:
        """Return a page of a list. `/v1` and `/int/v1` shape lists differently."""
        result = await self._call_handler("GET", template, path_params, query=query)
        value = _to_json(result)
        if isinstance(result, Response):
            return ListPage(value, _find_next_cursor(result))
        if isinstance(value, list):
            return ListPage(value, None)
        return ListPage(value["data"], value["meta"]["next_cursor"])

    async def send(
        self,
        method: str,
        template: str,
        body: Any = None,  # noqa: ANN401 - any JSON
        /,
        *,
        version: str | int | None = None,
        **path_params: str,
    ) -> Any:  # noqa: ANN401 - any JSON
        """Send a change. With `version`, the API refuses it if the resource has another one."""
        return _to_json(
            await self._call_handler(method, template, path_params, body=body, version=version)
        )

    async def send_upload(self, template: str, upload: Upload, body: Any = None) -> Any:  # noqa: ANN401 - any JSON
        """Send a file that the page has received. Encoding it again would block other requests."""
        self.exchange.upload = upload
        try:
            return await self.send("POST", template, body)
        finally:
            self.exchange.upload = None

    async def try_send(
        self,
        method: str,
        template: str,
        body: Any = None,  # noqa: ANN401 - any JSON
        /,
        *,
        dry_run: bool = False,
        version: str | int | None = None,
        **path_params: str,
    ) -> Problem | None:
        """Send one of several changes, and return the problem if it is refused.

        A refusal undoes this change only. A dry run changes nothing either way.
        """
        was_changed = self.exchange.changed
        try:
            async with self.exchange.db.nested_transaction(dry_run=dry_run):
                await self.send(method, template, body, version=version, **path_params)
        except Problem as problem:
            self.exchange.changed = was_changed
            return problem
        self.exchange.changed = was_changed or not dry_run
        return None

    async def preview(
        self,
        method: str,
        template: str,
        body: Any = None,  # noqa: ANN401 - any JSON
        /,
        **path_params: str,
    ) -> Any:  # noqa: ANN401 - any JSON
        """Return the result of a change, and undo it."""
        was_changed = self.exchange.changed
        try:
            async with self.exchange.db.nested_transaction(dry_run=True):
                return await self.send(method, template, body, **path_params)
        finally:
            self.exchange.changed = was_changed

    async def get_response(
        self, template: str, query: Query | None = None, /, **path_params: str
    ) -> Any:  # noqa: ANN401 - a handler's answer
        """Return the handler's own response, such as a file or a stream."""
        return await self._call_handler("GET", template, path_params, query=query)

    async def post_for_response(self, template: str, body: Any) -> Any:  # noqa: ANN401 - any JSON
        """Send a body, and return the handler's own response, such as a file."""
        return await self._call_handler("POST", template, {}, body=body)

    async def undo(self, problem: Problem) -> None:
        """Undo what a refused change wrote, so that the page shows the stored state."""
        exchange = self.exchange
        exchange.failure, exchange.changed = problem, False
        if exchange.pending is None:
            await exchange.edge.database.roll_back(exchange.db, problem)
        elif not idempotency.keeps_changes(problem):
            # The idempotency key stays locked until the response is stored.
            await exchange.db.roll_back_to_savepoint()

    async def start_over(self, problem: Problem) -> None:
        """Undo a refused change. Another change can then be made in its place."""
        await self.undo(problem)
        self.exchange.failure = None

    def _check_role(self, method: str, handler: HTTPRouteHandler) -> None:
        if not permissions.can_call(self.caller.role, method, handler):
            roles = " or ".join(permissions.find_required_roles(method, handler))
            raise Forbidden(f"This requires the {roles} role. Your role is {self.caller.role}.")

    async def _call_handler(
        self,
        method: str,
        template: str,
        path_params: Mapping[str, str],
        *,
        query: Query | None = None,
        body: Any = None,  # noqa: ANN401 - any JSON
        version: str | int | None = None,
    ) -> Any:  # noqa: ANN401 - a handler's answer
        handler = self._find_handler(method, template)
        self._check_role(method, handler)
        with self._replace_request(method, template, query, body, version):
            result = await cast("Any", handler.fn).call(self.exchange, path_params)
        self.exchange.changed |= method not in SAFE_METHODS
        return result

    def _find_handler(self, method: str, template: str) -> HTTPRouteHandler:
        return _map_handlers(self.exchange.edge.app)[method, template]

    @contextmanager
    def _replace_request(
        self,
        method: str,
        template: str,
        query: Query | None,
        body: Any,  # noqa: ANN401 - any JSON
        version: str | int | None,
    ) -> Iterator[None]:
        """Replace the exchange's request with the API call, and restore it afterwards."""
        exchange = self.exchange
        page_request = (
            exchange.method, exchange.path, exchange.query, exchange.target, exchange.headers,
            exchange.body, exchange.unread, exchange.unchecked, exchange.former_uses,
        )  # fmt: skip
        exchange.former_uses = []
        encoded_query = urlencode(_list_query_pairs(query or {}), doseq=True).encode()
        # A HEAD request for a page must not start a stream either.
        is_head = method == "GET" and exchange.method == "HEAD"
        exchange.method, exchange.path = "HEAD" if is_head else method, template
        exchange.query = encoded_query
        exchange.target = template.encode() + b"?" + encoded_query
        exchange.headers = dict(
            [pair for pair in exchange.headers.items() if pair[0] not in PAGE_HEADERS]
            + [JSON_HEADER]
        )
        if version is not None:
            # An invalid version matches nothing and is refused as stale.
            exchange.headers[versions.HEADER] = f'"{version}"'.encode()
        exchange.body, exchange.unread = b"" if body is None else encode(body), False
        exchange.unchecked = False
        try:
            yield
        finally:
            (exchange.method, exchange.path, exchange.query, exchange.target, exchange.headers,
             exchange.body, exchange.unread, exchange.unchecked,
             exchange.former_uses) = page_request  # fmt: skip


@lru_cache(maxsize=4)
def _map_handlers(app: Litestar) -> Mapping[tuple[str, str], HTTPRouteHandler]:
    return {
        (method, route.path_format): handler
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method, (handler, _) in route.route_handler_map.items()
    }


def _list_query_pairs(query: Query) -> list[tuple[str, Any]]:
    """Return the query's pairs without empty values: an empty form field is not a filter.

    Objects are sent as JSON.
    """
    return [
        (name, encode(value) if isinstance(value, Mapping) else value)
        for name, parameter in query.items()
        for value in (
            parameter
            if isinstance(parameter, Sequence) and not isinstance(parameter, str)
            else [parameter]
        )
        if value is not None and value != ""
    ]


def _to_json(result: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return a handler's answer as an external caller would decode it."""
    if isinstance(result, Response):
        content = result.content
        encoded_result = content if isinstance(content, bytes) else encode(content)
    else:
        encoded_result = encode(result)
    return msgspec.json.decode(encoded_result)


def _find_next_cursor(response: Response[Any]) -> str | None:
    """Return the next cursor from the `Link` header."""
    link = response.headers.get("Link", "")
    if not link:
        return None
    return dict(parse_qsl(urlsplit(link[1:].partition(">")[0]).query)).get("cursor")
