"""One request as the house sees it, from the edge to the handler and back."""

import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, cast

from pannier.db import Db
from pannier.db.actor import STRANGER
from pannier.kit import ids
from pannier.web import logs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from litestar.types import Receive, Scope

    from pannier.web.edge import Edge
    from pannier.web.idempotency import Answered, Pending

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

    def __init__(self, scope: "Scope", receive: "Receive", edge: "Edge") -> None:
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


def _by_name(lines: "Iterable[tuple[bytes, bytes]]") -> dict[bytes, bytes]:
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
