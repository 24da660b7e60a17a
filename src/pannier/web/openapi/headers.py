"""Headers of requests and responses, by their component names in the document."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec


class Header(msgspec.Struct, frozen=True):
    """A header of requests or responses."""

    name: str
    description: str
    schema: dict[str, Any]
    example: str | int | bool

    @property
    def spec(self) -> dict[str, Any]:
        """Return the header object of a response."""
        return {"description": self.description, "schema": self.schema, "example": self.example}

    @property
    def parameter(self) -> dict[str, Any]:
        """Return the parameter object of a request."""
        return {"name": self.name, "in": "header", "required": False, **self.spec}


RESPONSE_HEADERS: Final[Mapping[str, Header]] = {
    "RequestId": Header(
        "X-Request-Id",
        "The request's id: the caller's, or a new one.",
        {"type": "string"},
        "5f2b9c0e7a41d8e3b6c4f109",
    ),
    "ETag": Header(
        "ETag",
        "The version of the resource. Send it as `If-Match` with a change or a delete, which is "
        "then rejected if the resource has changed.",
        {"type": "string"},
        '"3"',
    ),
    "Link": Header(
        "Link",
        'The URL of the next page, as `<…>; rel="next"`. Absent on the last page.',
        {"type": "string"},
        '</v1/orders?limit=30&cursor=AX3k>; rel="next"',
    ),
    "IdempotentReplayed": Header(
        "Idempotent-Replayed",
        "`true` if this is the stored response to an earlier request with the same key.",
        {"type": "string", "const": "true"},
        "true",
    ),
    "PannierIgnored": Header(
        "Pannier-Ignored",
        "Paths of ignored unknown body fields. Only with `Prefer: handling=lenient`.",
        {"type": "string"},
        "lable, items[0].wieght",
    ),
    "RateLimitPolicy": Header(
        "RateLimit-Policy",
        "The rate limits of the credentials in the request: `q` requests in `w` seconds.",
        {"type": "string"},
        '"key";q=6000;w=60',
    ),
    "RateLimit": Header(
        "RateLimit",
        "What is left of these limits: `r` requests now, and all of them again in `t` seconds.",
        {"type": "string"},
        '"key";r=5987;t=1',
    ),
    "Deprecation": Header(
        "Deprecation",
        "Only if the request uses a former name of a path, parameter or field: the time since "
        'when it is deprecated (RFC 9745). `Link` then has the guide, as `rel="deprecation"`.',
        {"type": "string"},
        "@1795046400",
    ),
    "Sunset": Header(
        "Sunset",
        "Only beside `Deprecation`, and once it is known: the time at which the former name stops "
        "working (RFC 8594).",
        {"type": "string"},
        "Thu, 31 Dec 2026 00:00:00 GMT",
    ),
    "RetryAfter": Header(
        "Retry-After", "Seconds to wait before a retry.", {"type": "integer", "minimum": 1}, 2
    ),
    "WWWAuthenticate": Header(
        "WWW-Authenticate", "How to authenticate.", {"type": "string"}, "Bearer"
    ),
}
REQUEST_HEADERS: Final[Mapping[str, Header]] = {
    "IdempotencyKey": Header(
        "Idempotency-Key",
        "Makes the request safe to retry: for at least 24 hours, the same key and body get the "
        "first response again.",
        {"type": "string", "minLength": 1, "maxLength": 255},
        "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    ),
    "Prefer": Header(
        "Prefer",
        "`handling=lenient` ignores unknown body fields and lists them in `Pannier-Ignored`. "
        "Otherwise they are rejected.",
        {"type": "string"},
        "handling=lenient",
    ),
    "IfMatch": Header(
        "If-Match",
        "The `ETag` of the last read, or `*`. If the resource has changed since, the request is "
        "rejected. Resources without versions do not accept it.",
        {"type": "string"},
        '"3"',
    ),
    "CsrfToken": Header(
        "X-CSRF-Token",
        "The session's `csrf_token` from sign-in. Only with the session cookie.",
        {"type": "string"},
        "b1946ac92492d2347c6235b4d2611184",
    ),
}
RATE_LIMITS: Final = ("RateLimitPolicy", "RateLimit")
# Headers of problems with this status.
NAMES_BY_STATUS: Final[Mapping[int, tuple[str, ...]]] = {
    401: ("WWWAuthenticate",),
    429: ("RetryAfter", *RATE_LIMITS),
    503: ("RetryAfter",),
}


def refer_to_response_headers(keys: Iterable[str]) -> dict[str, Any]:
    """Return references to headers of a response."""
    return {RESPONSE_HEADERS[key].name: {"$ref": f"#/components/headers/{key}"} for key in keys}


def refer_to_request_header(key: str) -> dict[str, str]:
    """Return a reference to a header of a request."""
    return {"$ref": f"#/components/parameters/{key}"}
