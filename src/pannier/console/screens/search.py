"""Search for pages and records, for the palette and for record fields."""

from collections.abc import Iterator
from typing import Final

import msgspec
from litestar import Response

from pannier.console import commands, lookup, responses
from pannier.console.api_client import ApiClient
from pannier.console.navigation import ENTRIES, NavigationEntry
from pannier.console.record_kinds import KINDS, SEARCHED_RESOURCES
from pannier.console.records import read_query
from pannier.web.exchange import Exchange
from pannier.web.routes import get

MAX_PER_RESOURCE: Final = 5
MAX_SUGGESTIONS: Final = 8
MAX_QUERY_LENGTH: Final = 200


@get("/search")
async def show_matches(exchange: Exchange) -> Response[bytes]:
    """Show the pages and records that match the query."""
    client, query = (
        ApiClient(exchange),
        read_query(exchange).get("query", "").strip()[:MAX_QUERY_LENGTH],
    )
    pages = [entry for entry in _list_entries(client) if query.lower() in entry.label.lower()]
    matches = await lookup.find_open_orders_by_phone(client, query, MAX_PER_RESOURCE)
    matches += [
        match
        for resource in SEARCHED_RESOURCES
        if query
        for match in await lookup.suggest_records(client, resource, query, MAX_PER_RESOURCE)
    ]
    order_commands = await commands.find_order_commands(client, query, MAX_PER_RESOURCE)
    return await responses.render_page(
        client,
        "search.html",
        title="Search",
        commands=[*order_commands, *commands.list_commands(client, query)],
        pages=pages,
        found=list(dict.fromkeys(matches)),
        query=query,
        kinds=KINDS,
    )


@get("/suggest")
async def suggest_records(exchange: Exchange) -> Response[bytes]:
    """Suggest records for a field, the best match first."""
    client, parameters = ApiClient(exchange), read_query(exchange)
    resources = [
        resource
        for resource in dict.fromkeys(parameters.get("resource", "").split())
        if resource in KINDS
    ]
    matches = await lookup.suggest_for_field(
        client, resources, parameters.get("query", "")[:MAX_QUERY_LENGTH], MAX_SUGGESTIONS
    )
    return Response(
        msgspec.json.encode([match._asdict() for match in matches]), media_type="application/json"
    )


def _list_entries(client: ApiClient) -> Iterator[NavigationEntry]:
    return (entry for entry in ENTRIES if client.is_allowed("GET", entry.api_path))


handlers: Final = [show_matches, suggest_records]
