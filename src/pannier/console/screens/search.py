"""Search for pages and records, for the palette and for fields that name a record."""

from collections.abc import Iterator
from typing import Final

import msgspec
from litestar import Response

from pannier.console import lookup, render
from pannier.console.desk import Desk
from pannier.console.navigation import AREAS, Entry
from pannier.console.records import asked
from pannier.web.exchange import Exchange
from pannier.web.routes import get

EACH: Final = 5


@get("/search")
async def search(exchange: Exchange) -> Response[bytes]:
    """Show what matches the query: pages first, then records of each kind."""
    desk, query = Desk(exchange), asked(exchange).get("query", "").strip()
    pages = [entry for entry in _entries(desk) if query.lower() in entry.label.lower()]
    found = [
        one
        for resource in lookup.SEARCHED
        if query
        for one in await lookup.search(desk, resource, query, EACH)
    ]
    return await render.page(
        desk, "search.html", title="Search", pages=pages, found=found, query=query
    )


@get("/suggest")
async def suggest(exchange: Exchange) -> Response[bytes]:
    desk, given = Desk(exchange), asked(exchange)
    found = [
        one._asdict()
        for resource in dict.fromkeys(given.get("resource", "").split())
        if resource in lookup.KINDS
        for one in await lookup.search(desk, resource, given.get("query", ""), EACH)
    ]
    return Response(msgspec.json.encode(found), media_type="application/json")


def _entries(desk: Desk) -> Iterator[Entry]:
    return (entry for _, entries in AREAS for entry in entries if desk.may("GET", entry.door))


handlers: Final = [search, suggest]
