"""Limits of a connection, and the problems beyond them."""

import msgspec

from pannier.errors import Problem, TooManyRequests
from pannier.kit.structs import convert_struct
from pannier.settings import Settings


class HeadTooLarge(Problem):
    """The request line and headers exceed 64 KiB, or there are more than 100 headers."""

    status, code, title = 431, "head_too_large", "The request's headers are too large."
    remedy = "Send fewer or shorter headers."


class RequestTooSlow(Problem):
    """The headers or the body did not arrive within the time limit."""

    status, code, title = 408, "request_timeout", "The request arrived too slowly."
    remedy = "Send the request again over a faster connection."


class TooManyConnections(TooManyRequests):
    """The number of open connections per IP address is limited."""

    code, title = "too_many_connections", "Too many connections from one IP address."
    remedy = "Close some, and try again."


class ConnectionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a connection."""

    head_bytes: int = 64 * 1024
    headers: int = 100
    head_seconds: float = 10.0
    body_rate: float = 1024.0  # minimum bytes per second, after the grace period
    body_grace: float = 10.0
    # A response is aborted after this time without progress. It must be long for slow lines: the
    # system takes more data only after it has sent a large part of its buffer.
    unread_seconds: float = 120.0
    linger_seconds: float = 3.0  # for the rest of a request after its response
    connections: int = 8192
    address_connections: int = 512
    check_seconds: float = 1.0

    @classmethod
    def from_settings(cls, settings: Settings) -> "ConnectionLimits":
        return convert_struct(settings, cls)
