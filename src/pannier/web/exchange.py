"""One request from the edge to the handler and back, and what all requests share."""

import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

from pannier.db import Database, Db
from pannier.db.actor import STRANGER
from pannier.errors import TooManyRequests
from pannier.kit import ids
from pannier.settings import Settings
from pannier.web import addresses, idempotency, logs
from pannier.web.idempotency import Answered, Pending, Replay
from pannier.web.limits import Limiter, Rate

if TYPE_CHECKING:
    from litestar import Litestar
    from litestar.types import Receive, Scope

BODILESS: Final = frozenset({"GET", "HEAD"})
# As RFC 9110 has them, of those that are read anywhere.
LISTS: Final = frozenset({b"accept", b"accept-encoding", b"if-match", b"if-none-match", b"prefer"})
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,128}")


class ClientLeftError(Exception):
    """The caller hung up in the middle of the request."""


class Exchange:
    """A request's id, caller, body and transaction."""

    __slots__ = (
        "address", "body", "caller", "can_continue", "changed", "counted", "db", "edge", "failure",
        "headers", "id", "ignored", "method", "moment", "outside_answer", "path", "pending",
        "query", "receive", "replay", "route", "secure", "target", "unchecked", "unread",
    )  # fmt: skip

    def __init__(self, scope: "Scope", receive: "Receive", edge: "AppContext") -> None:
        self.edge, self.receive = edge, receive
        self.method: str = cast("Any", scope)["method"]
        self.path: str = scope["path"]
        self.query: bytes = scope["query_string"]
        self.target = scope["raw_path"] + b"?" + self.query
        self.headers = _by_name(scope["headers"])
        self.id = request_id(self.headers.get(b"x-request-id"))
        self.address = ""
        self.secure = scope["scheme"] == "https"
        self.body = b""
        # Whether the body is still to come, and whether it is still to be looked at.
        self.unread = self.unchecked = self.method not in BODILESS
        self.db: Db = Db(edge.database, writes=self.method not in SAFE_METHODS, actor=STRANGER)
        self.moment = self.db.now.timestamp()
        self.caller: Any = None
        # Whether the caller's credential still allows this request; streams ask again and again.
        self.can_continue: Callable[[Db], Awaitable[bool]] | None = None
        self.failure: BaseException | None = None
        # What the outside said in an earlier run of the same request, if it may be asked only once.
        self.outside_answer: Any = None
        # Whether a call that this request is made of has changed something already.
        self.changed = False
        # Whether it counts against its key already: one that runs again came once.
        self.counted = False
        self.pending: Pending | None = None
        self.replay: Answered | None = None
        self.route = ""
        # Paths of body fields that were left out, because the caller prefers that to a refusal.
        self.ignored: list[str] = []

    @property
    def is_json(self) -> bool:
        """Whether the body is meant to be JSON; one that does not say what it is, is."""
        kind = self.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        own = kind.startswith(b"application/") and kind.endswith(b"+json")
        return own or kind in {b"", b"application/json", b"text/json"}


# Turns a kept answer into what its caller may see now; given when it was first answered.
PresentReplay = Callable[[Exchange, Answered, datetime], Answered]


def replay_unchanged(_: Exchange, answer: Answered, __: datetime) -> Answered:
    """Return a kept answer as it was."""
    return answer


class AppContext:
    """What all requests to one application share; the edge is made of it."""

    app: "Litestar"
    settings: Settings
    database: Database
    limiter: Limiter
    services: Mapping[str, Any]
    uploads: Sequence[re.Pattern[str]]
    # Paths whose keyed answers are kept longer: their callers may be away for weeks.
    long_kept: Sequence[re.Pattern[str]]
    # Paths to which machines send much and often. They are limited by their credential: whole
    # fleets come from one address.
    intakes: Sequence[re.Pattern[str]]
    present_replay: PresentReplay
    origins: frozenset[bytes]
    address_rate: Rate
    credential_rate: Rate

    def is_intake(self, exchange: Exchange) -> bool:
        """Tell whether this is one of many requests with much in them."""
        return exchange.method == "POST" and any(
            pattern.match(exchange.path) for pattern in self.intakes
        )

    def count_address(self, exchange: Exchange) -> None:
        """Count a request against the address it comes from."""
        self.limit(
            f"address:{addresses.neighbourhood(exchange.address)}", self.address_rate, exchange
        )

    def limit(self, who: str, rate: Rate, exchange: Exchange) -> None:
        """Count a request against a limit; refuse it when there are too many."""
        wait = self.limiter.hit(who, rate, exchange.moment)
        if wait:
            raise TooManyRequests(wait)

    async def claim(self, exchange: Exchange, pending: Pending) -> None:
        """Claim a key until the transaction ends, or leave with the answer it had before."""
        long = any(pattern.match(exchange.path) for pattern in self.long_kept)
        retention = idempotency.LONG_KEPT if long else idempotency.KEPT
        kept = await idempotency.claim(exchange.db, pending, retention)
        if kept is not None:
            exchange.replay = self.present_replay(exchange, *kept)
            raise Replay(exchange.replay)
        exchange.pending = pending

    @asynccontextmanager
    async def outside(self, exchange: Exchange) -> AsyncIterator[str]:
        """Let a handler wait for somebody else's machine with no transaction of its own open.

        Where everybody waits for a slow machine, everybody would hold a connection. So a keyed
        request gives its key back meanwhile and claims it again before its answer is kept: of two
        at once both ask, and the second to return hears what the first was told. That they are
        one operation, the outside learns from the id that is handed out: it is the same for every
        request with the same key, and fresh without one.

        A request that is made of several calls asks outside before the first of them has changed
        something: that would be undone here, and nobody would notice.
        """
        if exchange.changed:
            raise RuntimeError("Something was changed before the outside was asked.")
        pending, exchange.pending = exchange.pending, None
        await self.database.undo(exchange.db, None)
        try:
            yield secrets.token_hex(16) if pending is None else pending.id.hex()
        finally:
            if pending is not None:
                await self.claim(exchange, pending)


def _by_name(lines: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Look headers up by name; of a list that comes in several lines, all of them count."""
    pairs = list(lines)
    headers = dict(pairs)
    if len(headers) < len(pairs):
        for listed in LISTS & headers.keys():
            headers[listed] = b", ".join(value for name, value in pairs if name == listed)
    return headers


def request_id(offered: bytes | None) -> str:
    """Take the caller's request id when it is a sane one, else make one."""
    if offered is not None and _REQUEST_ID.fullmatch(offered):
        text = offered.decode()
        # An id goes into every log line, so a credential is not taken for one.
        if logs.cleaned(text) == text:
            return text
    return ids.random_bytes(12).hex()


# The exchange that the running task is part of.
current: ContextVar[Exchange] = ContextVar("exchange")


def _known_to_logs() -> dict[str, str]:
    exchange = current.get(None)
    return {} if exchange is None else {"request_id": exchange.id}


logs.CONTEXT.append(_known_to_logs)
