"""Suggestions for address fields, and the address of a pin on a map.

The company's places and geocoded addresses come in separate responses, so that a slow geocoder does
not delay the places.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from litestar import Response

from pannier.console.api_client import ApiClient
from pannier.console.record_kinds import KINDS
from pannier.console.record_names import describe_record
from pannier.console.records import read_query
from pannier.errors import Invalid, Problem, TooManyRequests
from pannier.web.exchange import Exchange
from pannier.web.routes import get

MIN_TEXT_LENGTH: Final = 2
MAX_TEXT_LENGTH: Final = 200
MAX_PLACES: Final = 4
MAX_ADDRESSES: Final = "5"
# Owners of suggested places. Places of orders only repeat the addresses of earlier orders.
OWNERS: Final = ("company", "customer")
ADDRESS_PARTS: Final = ("street1", "city", "postal_code", "country", "location")
# An address with its house number needs no hint.
QUALITY_HINTS: Final = {"street": "Street", "locality": "Town or district", "region": "Region"}
NOT_FOUND: Final = 404
BUSY_NOTE: Final = "Too many address searches. Try again in a minute."
UNAVAILABLE_NOTE: Final = "Address search is unavailable. Enter the address."


class Suggestion(msgspec.Struct, kw_only=True):
    """A saved place by its identifier, or an address as the fields of a new place."""

    label: str
    hint: str
    id: str = ""
    address: dict[str, Any] | None = None
    location: Any


class SuggestionList(msgspec.Struct):
    """Suggestions for a field. The note explains missing addresses."""

    suggestions: list[Suggestion] = []
    note: str = ""


@get("/addresses")
async def suggest_addresses(exchange: Exchange) -> Response[bytes]:
    """Suggest places or addresses for the text in a field."""
    client, query = ApiClient(exchange), read_query(exchange)
    text = query.get("query", "").lstrip()
    if not MIN_TEXT_LENGTH <= len(text.strip()) <= len(text) <= MAX_TEXT_LENGTH:
        return _to_response(SuggestionList())
    if query.get("source") == "places":
        return _to_response(SuggestionList(await _find_places(client, text)))
    return _to_response(await _find_addresses(client, text, query.get("near")))


@get("/addresses/reverse")
async def find_address(exchange: Exchange) -> Response[bytes]:
    """Suggest the nearest address of a point."""
    client, location = ApiClient(exchange), read_query(exchange).get("location", "")
    try:
        row = await client.get("/v1/addresses/reverse", {"location": location})
    except Problem as problem:
        return _to_response(SuggestionList(note=_describe_problem(problem)))
    return _to_response(SuggestionList([_to_suggestion(row)]))


async def _find_places(client: ApiClient, text: str) -> list[Suggestion]:
    rows: list[Any] = []
    for owner in OWNERS:
        if len(rows) < MAX_PLACES and client.is_allowed("GET", "/v1/places"):
            query = {"query": text, "owner_type": owner, "limit": str(MAX_PLACES - len(rows))}
            rows += (await client.list_rows("/v1/places", query)).rows
    return list(_to_place_suggestions(rows))


def _to_place_suggestions(rows: list[Any]) -> Iterator[Suggestion]:
    for row in rows:
        label, hint = describe_record(row, KINDS["places"])
        position = row["location"] and row["location"]["coordinates"]
        yield Suggestion(
            label=label, hint=hint if hint != label else "", id=row["id"], location=position
        )


async def _find_addresses(client: ApiClient, text: str, near: str | None) -> SuggestionList:
    query = {"query": text, "near": near, "limit": MAX_ADDRESSES}
    try:
        page = await client.list_rows("/v1/addresses", query)
    except Problem as problem:
        return SuggestionList(note=_describe_problem(problem))
    return SuggestionList([_to_suggestion(row) for row in page.rows])


def _describe_problem(problem: Problem) -> str:
    """Explain missing addresses, unless more text may find some."""
    if isinstance(problem, TooManyRequests):
        return BUSY_NOTE
    return "" if isinstance(problem, Invalid) or problem.status == NOT_FOUND else UNAVAILABLE_NOTE


def _to_suggestion(row: Mapping[str, Any]) -> Suggestion:
    address = {name: row[name] for name in ADDRESS_PARTS if row[name]}
    # A station or a shop has a name instead of a street.
    name = row["label"].partition(", ")[0]
    if not row["street1"] and name not in {row["city"], row["postal_code"]}:
        address["name"] = name
    return Suggestion(
        label=row["label"],
        hint=QUALITY_HINTS.get(row["quality"], ""),
        address=address,
        location=row["location"]["coordinates"],
    )


def _to_response(suggestion_list: SuggestionList) -> Response[bytes]:
    return Response(msgspec.json.encode(suggestion_list), media_type="application/json")


handlers: Final = [suggest_addresses, find_address]
