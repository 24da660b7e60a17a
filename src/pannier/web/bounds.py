"""What a connection may take of us, and how it is refused beyond that."""

import msgspec

from pannier.errors import Problem, TooManyRequests
from pannier.kit.structs import remade
from pannier.settings import Settings


class HeadTooLarge(Problem):
    """The request line and headers exceed 64 KiB, or there are more than 100 headers."""

    status, code, title = 431, "head_too_large", "The request's headers are too large."
    remedy = "Send at most 64 KiB and 100 headers."


class TooSlow(Problem):
    """The headers or the body arrived too slowly."""

    status, code, title = 408, "request_timeout", "The request arrived too slowly."
    remedy = "Send it again over a faster connection."


class TooManyConnections(TooManyRequests):
    """One address has too many open connections."""

    code, title = "too_many_connections", "Too many connections from one address."
    remedy = "Close some, and try again."


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """What a connection may take of us."""

    head_bytes: int = 64 * 1024
    headers: int = 100
    head_seconds: float = 10.0
    body_rate: float = 1024.0  # bytes a second at the least, once the grace is over
    body_grace: float = 10.0
    # An answer of which nothing was taken for so long is given up. A slow line takes its time: the
    # system asks for more only when a good part of what it holds has left.
    unread_seconds: float = 120.0
    linger_seconds: float = 3.0  # so long somebody may still send whose answer has left
    connections: int = 8192
    address_connections: int = 512
    look_seconds: float = 1.0

    @classmethod
    def of(cls, settings: Settings) -> "Bounds":
        """Take over what an operator has set."""
        return remade(settings, cls)
