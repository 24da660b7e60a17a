"""The state of one request, and the context that all requests share."""

import re
import secrets
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

from pannier.db import Database, Db
from pannier.db.actor import STRANGER
from pannier.errors import TooManyRequests
from pannier.kit import ids
from pannier.settings import Settings
from pannier.web import addresses, idempotency, logs
from pannier.web.fair_queue import FairQueue, take_places
from pannier.web.former_names import FormerUse
from pannier.web.idempotency import PendingRequest, Replay, StoredResponse
from pannier.web.limits import Rate, RateLimiter

if TYPE_CHECKING:
    from litestar import Litestar
    from litestar.types import Receive, Scope

BODILESS_METHODS: Final = frozenset({"GET", "HEAD"})
# Headers with list values (RFC 9110) that we read.
LIST_HEADERS: Final = frozenset(
    {b"accept", b"accept-encoding", b"if-match", b"if-none-match", b"prefer"}
)
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,128}")


class ClientDisconnectedError(Exception):
    """The client disconnected during the request."""


class Exchange:
    """A request's id, caller, body and transaction."""

    __slots__ = (
        "address", "body", "caller", "can_continue", "changed", "counted", "db", "edge",
        "external_response", "failure", "form", "former_uses", "headers", "id", "ignored", "method",
        "moment", "path", "pending", "query", "rate_limits", "receive", "replay", "route", "secure",
        "target", "turn", "turn_company", "unchecked", "unread", "upload",
    )  # fmt: skip

    def __init__(self, scope: "Scope", receive: "Receive", edge: "AppContext") -> None:
        self.edge, self.receive = edge, receive
        self.method: str = cast("Any", scope)["method"]
        self.path: str = scope["path"]
        self.query: bytes = scope["query_string"]
        self.target = scope["raw_path"] + b"?" + self.query
        self.headers = _index_headers(scope["headers"])
        self.id = choose_request_id(self.headers.get(b"x-request-id"))
        self.address = ""
        self.secure = scope["scheme"] == "https"
        self.body = b""
        # The parsed form of a page, and the file that a page passes to the API.
        self.form: Any = None
        self.upload: Any = None
        # Whether the body must still be received, and whether it must still be checked.
        self.unread = self.unchecked = self.method not in BODILESS_METHODS
        self.db: Db = Db(edge.database, writes=self.method not in SAFE_METHODS, actor=STRANGER)
        self.moment = self.db.now.timestamp()
        self.caller: Any = None
        # Checks whether the caller's credential is still valid; streams call it repeatedly.
        self.can_continue: Callable[[Db], Awaitable[bool]] | None = None
        self.failure: BaseException | None = None
        # The response of an external service in an earlier run, if it may be called only once.
        self.external_response: Any = None
        # Whether an earlier call in this request has made changes.
        self.changed = False
        # Whether the rate limit of the key has counted this request. A rerun must not count twice.
        self.counted = False
        # The keys of the rate limits of the caller's credentials, by the name of the limit.
        self.rate_limits: dict[str, str] = {}
        self.pending: PendingRequest | None = None
        self.replay: StoredResponse | None = None
        self.route = ""
        # Paths of unknown body fields that were ignored, as the caller preferred.
        self.ignored: list[str] = []
        # The former names that the request uses.
        self.former_uses: list[FormerUse] = []
        # The request's place among the requests of its company that are in progress.
        self.turn: AsyncExitStack | None = None
        # Whose requests it takes turns with.
        self.turn_company: Hashable = None

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON, which is also assumed without a content type."""
        media_type = self.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        is_json_type = media_type.startswith(b"application/") and media_type.endswith(b"+json")
        return is_json_type or media_type in {b"", b"application/json", b"text/json"}

    async def end_turn(self) -> None:
        """Let the next request of the company begin."""
        if self.turn is not None:
            turn, self.turn = self.turn, None
            await turn.aclose()


# Adapts a stored response to the caller's current permissions. The time is the first response's.
PresentReplay = Callable[[Exchange, StoredResponse, datetime], StoredResponse]


def replay_response_unchanged(
    _: Exchange, response: StoredResponse, __: datetime
) -> StoredResponse:
    """Return a stored response unchanged."""
    return response


class AppContext:
    """The context that all requests to one application share; the base of the edge."""

    app: "Litestar"
    settings: Settings
    database: Database
    limiter: RateLimiter
    services: Mapping[str, Any]
    uploads: Sequence[re.Pattern[str]]
    # Paths whose idempotent responses are stored longer: their callers may be offline for weeks.
    long_retention_paths: Sequence[re.Pattern[str]]
    # Paths where a POST changes nothing. Their responses are not stored with idempotency keys.
    reading_paths: Sequence[re.Pattern[str]]
    # Paths where devices send many events. Limits apply per credential there, because a whole
    # fleet may share one address.
    intakes: Sequence[re.Pattern[str]]
    redact_replay: PresentReplay
    origins: frozenset[bytes]
    address_rate: Rate
    credential_rate: Rate
    # The requests in progress, which hold database connections, and those with large bodies.
    requests: FairQueue
    large_bodies: FairQueue

    def is_intake(self, exchange: Exchange) -> bool:
        """Tell whether this request sends device events."""
        return exchange.method == "POST" and any(
            pattern.match(exchange.path) for pattern in self.intakes
        )

    def is_reading(self, exchange: Exchange) -> bool:
        """Tell whether a POST request changes nothing."""
        return any(pattern.match(exchange.path) for pattern in self.reading_paths)

    def count_address_hit(self, exchange: Exchange) -> None:
        """Count a request against the rate limit of its address."""
        self.count_hit(
            f"address:{addresses.get_rate_limit_network(exchange.address)}",
            self.address_rate,
            exchange,
        )

    def count_credential_hit(self, name: str, key: str, exchange: Exchange) -> None:
        """Count a request against the rate limit of a credential, which the response describes."""
        exchange.rate_limits[name] = key
        self.count_hit(key, self.credential_rate, exchange)

    def count_hit(self, key: str, rate: Rate, exchange: Exchange) -> None:
        """Count a request against a rate limit, or raise TooManyRequests."""
        wait = self.limiter.hit(key, rate, exchange.moment)
        if wait:
            raise TooManyRequests(wait)

    async def claim_key(self, exchange: Exchange, pending_request: PendingRequest) -> None:
        """Claim a request's idempotency key, or raise Replay with the key's stored response."""
        # The route, because an identifier in the path can contain a slash.
        is_long = any(pattern.match(exchange.route) for pattern in self.long_retention_paths)
        retention = idempotency.LONG_RETENTION if is_long else idempotency.RETENTION
        stored_response = await idempotency.claim_key(exchange.db, pending_request, retention)
        if stored_response is not None:
            exchange.replay = self.redact_replay(exchange, *stored_response)
            raise Replay(exchange.replay)
        exchange.pending = pending_request

    @asynccontextmanager
    async def suspend_transaction(self, exchange: Exchange) -> AsyncIterator[str]:
        """End the transaction while a handler calls an external service.

        Otherwise all requests that wait for a slow service would each hold a database connection.
        A request with an idempotency key releases it meanwhile, and claims it again before its
        response is stored. So two concurrent requests with one key both call the service, and the
        second to return gets the response of the first. This yields an id for the service, by
        which it recognizes the two as one operation: it is the same for all requests with the
        same key, and random without a key.

        Enter this before the request has made changes: they would be rolled back silently.
        """
        if exchange.changed:
            raise RuntimeError("The request made changes before the call of an external service.")
        pending_request, exchange.pending = exchange.pending, None
        await self.database.roll_back(exchange.db, None)
        has_turn = exchange.turn is not None
        await exchange.end_turn()
        try:
            yield secrets.token_hex(16) if pending_request is None else pending_request.id.hex()
        finally:
            if has_turn:
                # Without a limit in time: what the external service did must be recorded.
                exchange.turn = await take_places([self.requests], exchange.turn_company, None)
            if pending_request is not None:
                await self.claim_key(exchange, pending_request)


def _index_headers(lines: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Index the headers by name; join the lines of a list header."""
    pairs = list(lines)
    headers = dict(pairs)
    if len(headers) < len(pairs):
        for header in LIST_HEADERS & headers.keys():
            headers[header] = b", ".join(value for name, value in pairs if name == header)
    return headers


def choose_request_id(sent_id: bytes | None) -> str:
    """Return the caller's request id if it is valid, or a new one."""
    if sent_id is not None and _REQUEST_ID.fullmatch(sent_id):
        text = sent_id.decode()
        # The id is in every log line, so a credential is not accepted as one.
        if logs.redact(text) == text:
            return text
    return ids.random_bytes(12).hex()


# The exchange of the running task.
current: ContextVar[Exchange] = ContextVar("exchange")


def _get_log_context() -> dict[str, str]:
    exchange = current.get(None)
    return {} if exchange is None else {"request_id": exchange.id}


logs.CONTEXT_PROVIDERS.append(_get_log_context)
