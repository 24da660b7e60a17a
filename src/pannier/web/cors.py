"""Pages of shops may call the storefront prefix, and nothing else."""

from typing import Final

from pannier.web.exchange import Exchange
from pannier.web.idempotency import Headers

PREFIX: Final = "/storefront/"
METHODS: Final = b"GET, POST, PUT, PATCH, DELETE"
REQUEST_HEADERS: Final = (
    b"Authorization, Content-Type, Customer-Token, Device-Proof, Idempotency-Key, Prefer, "
    b"X-Request-Id"
)
EXPOSED: Final = b"Link, Retry-After, X-Request-Id, Idempotent-Replayed, Pannier-Ignored"

Origins = frozenset[bytes]


def origins(text: str) -> Origins:
    """Read the list of allowed origins."""
    return frozenset(part.strip().rstrip("/").encode() for part in text.split(",") if part.strip())


def headers(exchange: Exchange, allowed: Origins) -> Headers:
    """Answer the headers that let the calling page read the answer."""
    origin = exchange.headers.get(b"origin")
    if origin is None or not exchange.path.startswith(PREFIX):
        return []
    if b"*" not in allowed and origin not in allowed:
        return [(b"vary", b"Origin")]
    # The credential travels in a header, never in a cookie, so any origin may be named.
    return [
        (b"access-control-allow-origin", b"*" if b"*" in allowed else origin),
        (b"access-control-expose-headers", EXPOSED),
        (b"vary", b"Origin"),
    ]


def preflight(exchange: Exchange) -> Headers | None:
    """Return the headers that answer a browser's question before the real request, if it is one."""
    asked = exchange.method == "OPTIONS" and b"access-control-request-method" in exchange.headers
    if not asked or not exchange.path.startswith(PREFIX):
        return None
    return [
        (b"access-control-allow-methods", METHODS),
        (b"access-control-allow-headers", REQUEST_HEADERS),
        (b"access-control-max-age", b"86400"),
    ]
