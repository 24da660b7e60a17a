"""Search over pages and records: for the palette, and for fields that name a record."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Response

from pannier.console import render
from pannier.console.desk import Desk
from pannier.console.navigation import AREAS, Entry
from pannier.console.records import asked
from pannier.console.words import called, page_of
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get

EACH: Final = 5


class Kind(NamedTuple):
    """Records that can be looked for: the list that finds them, and what is told of one."""

    api: str
    icon: str
    label: str
    hint: str
    filter: str = "query"


# By the resource whose pages they have.
KINDS: Final[Mapping[str, Kind]] = {
    "orders": Kind("/v1/orders", "package", "tracking_number", "status"),
    "drivers": Kind("/v1/drivers", "user", "name", "phone"),
    "vehicles": Kind("/v1/vehicles", "truck", "name", "plate_number"),
    "customers": Kind("/int/v1/customers", "users", "name", "phone"),
    "contacts": Kind("/v1/contacts", "contact", "name", "phone"),
    "vendors": Kind("/v1/vendors", "handshake", "name", "email"),
    "places": Kind("/v1/places", "map-pin", "name", "street1"),
    "devices": Kind("/int/v1/devices", "radio-tower", "name", "identifier"),
    "service-areas": Kind("/v1/service-areas", "land-plot", "name", "type"),
    "zones": Kind("/v1/zones", "pentagon", "name", "type"),
    "fleets": Kind("/v1/fleets", "boxes", "name", "status"),
}


class Found(msgspec.Struct, frozen=True):
    """Something that was found."""

    id: str
    label: str
    hint: str
    resource: str
    icon: str


@get("/search")
async def search(exchange: Exchange) -> Response[bytes]:
    """Show what a word finds: pages first, then records of each kind."""
    desk, query = Desk(exchange), asked(exchange).get("query", "").strip()
    pages = [entry for entry in _entries(desk) if query.lower() in entry.label.lower()]
    found = [one for resource in KINDS if query for one in await records(desk, resource, query)]
    return await render.page(
        desk, "search.html", title="Search", pages=pages, found=found, query=query
    )


@get("/suggest")
async def suggest(exchange: Exchange) -> Response[bytes]:
    """Suggest records for a field."""
    desk, given = Desk(exchange), asked(exchange)
    resource = given.get("resource", "")
    found = await records(desk, resource, given.get("query", "")) if resource in KINDS else []
    return Response(msgspec.json.encode(found), media_type="application/json")


async def records(desk: Desk, resource: str, query: str) -> list[Found]:
    """Look for records of one kind, by an id also; whoever may not see them finds none."""
    kind = KINDS[resource]
    if not desk.may("GET", kind.api):
        return []
    by = "id" if page_of(query) == f"/console/{resource}/{query}" else kind.filter
    try:
        rows = (await desk.rows(kind.api, {by: query, "limit": str(EACH)})).rows
    except Problem:
        # What this list cannot look for, it does not have.
        return []
    return [_found(row, resource, kind) for row in rows]


def _found(row: Any, resource: str, kind: Kind) -> Found:  # noqa: ANN401 - JSON
    label = row.get(kind.label)
    if isinstance(label, Mapping):
        label = label.get("tracking_number")
    hint = row.get(kind.hint)
    return Found(row["id"], str(label or called(row)), str(hint or ""), resource, kind.icon)


def _entries(desk: Desk) -> Iterator[Entry]:
    return (entry for _, entries in AREAS for entry in entries if desk.may("GET", entry.door))


handlers: Final = [search, suggest]
