"""CORS: web pages of shops may call `/storefront/`, and no other paths."""

from typing import Final

from pannier.web.exchange import Exchange
from pannier.web.idempotency import Headers

PREFIX: Final = "/storefront/"
ALLOWED_METHODS: Final = b"GET, POST, PUT, PATCH, DELETE"
REQUEST_HEADERS: Final = (
    b"Authorization, Content-Type, Customer-Token, Device-Proof, Idempotency-Key, Prefer, "
    b"X-Request-Id"
)
EXPOSED_HEADERS: Final = (
    b"Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, Idempotent-Replayed, "
    b"Pannier-Ignored, Deprecation, Sunset"
)

Origins = frozenset[bytes]


def parse_origins(text: str) -> Origins:
    """Parse the list of allowed origins."""
    return frozenset(part.strip().rstrip("/").encode() for part in text.split(",") if part.strip())


def make_response_headers(exchange: Exchange, allowed_origins: Origins) -> Headers:
    """Make the headers that let the calling page read the response."""
    origin = exchange.headers.get(b"origin")
    if origin is None or not exchange.path.startswith(PREFIX):
        return []
    if b"*" not in allowed_origins and origin not in allowed_origins:
        return [(b"vary", b"Origin")]
    # Credentials are sent in a header, never in a cookie, so allowing any origin is safe.
    return [
        (b"access-control-allow-origin", b"*" if b"*" in allowed_origins else origin),
        (b"access-control-expose-headers", EXPOSED_HEADERS),
        (b"vary", b"Origin"),
    ]


def make_preflight_headers(exchange: Exchange) -> Headers | None:
    """Make the response headers of a preflight request; return None for any other request."""
    is_preflight = (
        exchange.method == "OPTIONS" and b"access-control-request-method" in exchange.headers
    )
    if not is_preflight or not exchange.path.startswith(PREFIX):
        return None
    return [
        (b"access-control-allow-methods", ALLOWED_METHODS),
        (b"access-control-allow-headers", REQUEST_HEADERS),
        (b"access-control-max-age", b"86400"),
    ]
