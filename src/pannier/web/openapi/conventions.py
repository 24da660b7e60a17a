"""The conventions of all operations, for the introduction of the documentation."""

from typing import Final

INTRODUCTION: Final = (
    "Pannier is an open-source logistics platform. This page lists every operation of this "
    "installation's API."
)
CONVENTIONS: Final = (
    (
        "Base paths",
        (
            "`/storefront/v1` serves customer apps, `/v1` serves a company's own systems, and "
            "`/int/v1` serves its operators. Bodies are JSON. A single resource is returned as a "
            "bare object. Unknown fields are rejected unless `Prefer: handling=lenient` is sent."
        ),
    ),
    (
        "Credentials",
        (
            "Send `Authorization: Bearer …` with the key or token that the operation requires. A "
            "credential belongs to one company and cannot access another. Live and test data are "
            "separate."
        ),
    ),
    (
        "Identifiers",
        (
            "Every resource has a `uuid` and a `public_id` such as `order_1B9hWqUfY0zTnE4c`; "
            "`id` is the public ID. Every reference to a resource accepts either form."
        ),
    ),
    (
        "Times",
        ("RFC 3339 in UTC with milliseconds: `2026-01-31T09:30:00.000Z`. Any offset is accepted."),
    ),
    (
        "Money",
        (
            "Whole minor units (`amount`) with an ISO 4217 code (`currency`): `1250` and "
            "`EUR` mean 12.50 euros."
        ),
    ),
    (
        "Coordinates",
        (
            "GeoJSON, `[longitude, latitude]`. Request bodies also accept `{latitude, longitude}`, "
            'and queries accept `"latitude,longitude"`.'
        ),
    ),
    (
        "Pagination",
        (
            "`limit` and `cursor` page through a list. `/v1` and `/storefront/v1` return a bare "
            "array, with the next page in the `Link` header. `/int/v1` returns `{data, "
            "meta: {limit, has_more, next_cursor}}`."
        ),
    ),
    (
        "Queries",
        (
            "Multiple values of one parameter: `a=1&a=2`, `a[]=1&a[]=2` or a JSON array. "
            "Objects: `o[x]=1` or a JSON object."
        ),
    ),
    (
        "Idempotency",
        (
            "Every POST and DELETE, and every PUT and PATCH with `If-Match`, accepts an "
            "`Idempotency-Key`. The same key with the same request returns the first response "
            "again, with `Idempotent-Replayed: true`. The same key with a different request is "
            "rejected with 409."
        ),
    ),
    (
        "Errors",
        (
            "Errors are `application/problem+json` (RFC 9457) with a stable `code`. Invalid "
            "fields are listed in `fields`, and all codes in `/docs/errors`."
        ),
    ),
    (
        "Request IDs",
        (
            "Every response contains `X-Request-Id`. If you send one, it is returned. Include it "
            "when you ask for help."
        ),
    ),
    (
        "Rate limits",
        (
            "Requests over the limit are rejected with 429. `Retry-After` is the number of "
            "seconds to wait. `RateLimit` tells how many requests a credential has left."
        ),
    ),
)


def to_markdown() -> str:
    """Return the conventions as Markdown, for the document's description."""
    parts = [f"## {title}\n\n{text}" for title, text in CONVENTIONS]
    return "\n\n".join([INTRODUCTION, *parts])
