"""The conventions of all operations, for the introduction of the documentation."""

from typing import Final

INTRODUCTION: Final = (
    "Pannier is an open-source logistics platform. This page describes everything that this "
    "installation answers today."
)
CONVENTIONS: Final = (
    (
        "Addresses",
        (
            "`/storefront/v1` serves customer apps, `/v1` a company's own systems, `/int/v1` "
            "its operators. Bodies are JSON; a single answer is a bare object. Unknown fields "
            "are ignored."
        ),
    ),
    (
        "Credentials",
        (
            "Send `Authorization: Bearer …` with the key or token that the operation names. A "
            "credential belongs to one company and sees nothing of another; live and test are "
            "apart."
        ),
    ),
    (
        "Identifiers",
        (
            "Every resource has a `uuid` and a `public_id` such as `order_1B9hWqUfY0zTnE4c`; "
            "`id` is the public id. Wherever a resource is named, either form is taken."
        ),
    ),
    (
        "Times",
        ("RFC 3339 in UTC with milliseconds: `2026-01-31T09:30:00.000Z`. Any offset is taken."),
    ),
    (
        "Money",
        (
            "Whole minor units (`amount`) beside an ISO 4217 code (`currency`): `1250` and "
            "`EUR` are 12.50 euros."
        ),
    ),
    (
        "Places",
        (
            "GeoJSON, `[longitude, latitude]`. Input also takes `{latitude, longitude}`, and "
            'queries take `"latitude,longitude"`.'
        ),
    ),
    (
        "Lists",
        (
            "`limit` and `cursor` page through a list. `/v1` and `/storefront/v1` answer a bare "
            "array and put the next page into the `Link` header; `/int/v1` answers `{data, "
            "meta: {limit, has_more, next_cursor}}`."
        ),
    ),
    (
        "Queries",
        (
            "Several values of one parameter: `a=1&a=2`, `a[]=1&a[]=2` or a JSON array. "
            "Objects: `o[x]=1` or a JSON object."
        ),
    ),
    (
        "Repeating a request",
        (
            "Every POST takes an `Idempotency-Key`. The same key with the same body gets the "
            "first answer again, with `Idempotent-Replayed: true`; with another body it is "
            "refused (409)."
        ),
    ),
    (
        "Problems",
        (
            "A refusal is `application/problem+json` (RFC 9457) with a stable `code`; wrong "
            "fields are named in `fields`. All codes are listed under `/docs/errors`."
        ),
    ),
    (
        "Request ids",
        (
            "Every answer carries `X-Request-Id`: yours, if you sent one. Quote it when you ask "
            "for help."
        ),
    ),
    (
        "Limits",
        (
            "Too many requests are refused with 429 and `Retry-After`, which says how many "
            "seconds to wait."
        ),
    ),
)


def to_markdown() -> str:
    """Return the conventions as Markdown, for the document's description."""
    parts = [f"## {title}\n\n{text}" for title, text in CONVENTIONS]
    return "\n\n".join([INTRODUCTION, *parts])
