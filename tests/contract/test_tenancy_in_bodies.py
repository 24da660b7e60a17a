"""Another company's ids are 404 wherever they can be sent: in every body, and in every filter.

The fields are read off the OpenAPI document: those whose example is an identifier, and those that
say that they take one.
"""

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

import httpx
import pytest

from contract import test_every_route as doors
from pannier.app import build_litestar
from pannier.web.openapi import build_document
from pannier.web.openapi.examples import Examples
from pannier.web.openapi.schemas import Schema, resolve
from probe import refused
from stage import Broom, Firm, House

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

DOCUMENT: Final = build_document(build_litestar(), "http://127.0.0.1:8000").content
COMPONENTS: Final = DOCUMENT["components"]["schemas"]
EXAMPLES: Final = Examples(COMPONENTS, is_complete=False)
IDENTIFIER: Final = re.compile(r"([a-z_]+)_[0-9A-Za-z]{16}")
TRACKING: Final = re.compile(r"[A-Z]{3}(-[0-9A-Z]{4}){3}")
# What a field names whose example is not an identifier, by its own name or that of its list.
NAMED: Final = {
    "order_config": "order_config",
    "type": "order_config",
    "pickup": "place",
    "dropoff": "place",
    "return": "place",
    "waypoints": "place",
    "destination": "waypoint",
    "tracking_number": "number",
}
# Parts of a payload, which stand at the top of an order or inside its payload, not in both.
PARTS: Final = ("pickup", "dropoff", "return", "waypoints", "entities")
# How many fields and filters there were when this was written; there are only ever more.
FIELDS: Final = 180
FILTERS: Final = 25

Path = tuple[str | int, ...]


class Spot(NamedTuple):
    """Where somebody can name something: a field of a body, or a filter."""

    method: str
    template: str
    path: Path
    kind: str
    query: bool

    @property
    def resource(self) -> str:
        return self.template.split("/{")[0]

    def __str__(self) -> str:
        sign = "?" if self.query else " "
        return f"{self.method} {self.template}{sign}{spelled(self.path)}"


def spelled(path: Path) -> str:
    """Spell a path as refusals do."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def kind_of(schema: Schema, path: Path) -> str | None:
    """Tell what a field names, if it is an identifier."""
    for example in schema.get("examples", [schema.get("example")]):
        if isinstance(example, str) and (found := IDENTIFIER.fullmatch(example)):
            return found[1]
        if isinstance(example, str) and TRACKING.fullmatch(example):
            return "number"
    # `identifier` is also the name of a field: a device's own id.
    if path and "identifier" in schema.get("description", "").replace("`identifier`", ""):
        name = next(part for part in reversed(path) if isinstance(part, str))
        assert name in NAMED, f"{spelled(path)} takes an identifier; tell NAMED of what."
        return NAMED[name]
    return None


def fields(
    schema: Schema, path: Path = (), trail: tuple[str, ...] = ()
) -> Iterator[tuple[Path, str]]:
    """List the fields of a body that name something, however deep they stand."""
    reference = schema.get("$ref", "")
    if reference in trail:
        return
    trail = (*trail, reference) if reference else trail
    schema = resolve(schema, COMPONENTS)
    if (kind := kind_of(schema, path)) is not None:
        yield path, kind
    for choice in schema.get("anyOf", []):
        yield from fields(choice, path, trail)
    for name, part in schema.get("properties", {}).items():
        yield from fields(part, (*path, name), trail)
    if "items" in schema:
        yield from fields(schema["items"], (*path, 0), trail)


def spots() -> Iterator[Spot]:
    """List all places where somebody can name something."""
    for template, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            for part in operation["parameters"]:
                kind = kind_of(part, ())
                if part.get("in") == "query" and (kind or part["name"] == "order_config"):
                    name = (part["name"],)
                    yield Spot(method.upper(), template, name, kind or "order_config", query=True)
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            for path, kind in dict.fromkeys(fields(body["schema"])) if body else ():
                yield Spot(method.upper(), template, path, kind, query=False)


# A customer's order names nothing of anybody's but a quote of this very shop: see the tests of it.
SHOP: Final = "/storefront/v1/customers/orders"
# Whom a gateway speaks for is told of each reading by its code: see the tests of that.
INGEST: Final = ("/ingest/", "/int/v1/fleet-module/device-events/batch")
# Each order of a batch has its own 404: see the tests of batches.
ONE_BY_ONE: Final = "/v1/orders/batch"
# Only what was delivered is returned, so an order that is open answers first: see its tests.
RETURN: Final = "/v1/orders/{order_id}/return"
SPOTS: Final = [
    spot
    for spot in spots()
    if spot.template not in {SHOP, ONE_BY_ONE, RETURN} and not spot.template.startswith(INGEST)
]

Maker = Callable[[Firm], Awaitable[str]]
MAKERS: Final[dict[str, Maker]] = {
    "contact": doors.contact,
    "delivery": doors.delivery,
    "device": doors.device,
    "driver": doors.driver,
    "entity": doors.entity,
    "event": doors.event,
    "file": doors.file,
    "fleet": doors.fleet,
    "line": doors.invoice_line,
    "number": doors.tracking_number,
    "order": doors.order,
    "order_template": doors.order_template,
    "order_config": doors.order_config,
    "payload": doors.payload,
    "place": doors.place,
    "plan": doors.plan,
    "quote": doors.service_quote,
    "sa": doors.service_area,
    "service": doors.service_rate,
    "store": doors.storefront,
    "vehicle": doors.vehicle,
    "vendor": doors.vendor,
    "waypoint": doors.waypoint,
    "webhook": doors.webhook,
    "zone": doors.zone,
}


TABLES: Final = {
    "delivery": "(select uuid, delivery_name(uuid) as public_id from webhook_deliveries) named",
    "entity": "entities",
    "line": "invoice_lines",
    "number": "tracking_numbers",
    "quote": "service_quotes",
    "sa": "service_areas",
    "service": "service_rates",
}
# What else a request needs so that what stands there is looked up at all.
BESIDE: Final[dict[tuple[str, str], dict[str, Any]]] = {
    ("/v1/devices", "vehicle"): {"driver": None},
    ("/int/v1/devices", "vehicle"): {"driver": None},
    ("/v1/entities", "destination"): {"payload": "payload_6ZbT4gXw1NcH8yQe"},
    ("/v1/entities/{entity_id}", "destination"): {"payload": "payload_6ZbT4gXw1NcH8yQe"},
    ("/v1/imports", "file"): {"data": None},
    ("/v1/orders/{order_id}/start", "assign"): {"skip_dispatch": True},
    ("/v1/recurring-orders", "template"): {"order": None},
}
# Former names of fields, and the present ones, which a request does not send beside them.
FORMER: Final = {"stop": "waypoint", "tracking_number": "tracking"}
# Filters that compare and look nothing up: there is nothing with another company's number.
COMPARED: Final = {
    ("/int/v1/alerts", "subject"),
    ("/int/v1/events", "subject"),
    ("/v1/events", "order"),
    ("/v1/events", "subject"),
    ("/int/v1/messages", "order"),
    ("/v1/orders", "tracking"),
    ("/int/v1/orders/board", "tracking"),
    ("/v1/tracking-numbers", "tracking"),
    ("/v1/tracking-numbers", "tracking_number"),
    *(
        (f"{prefix}{path}", field)
        for prefix in ("/v1", "/int/v1")
        for path, field in (
            ("/webhook-deliveries", "subject"),
            ("/webhooks/{webhook_id}/deliveries", "subject"),
            ("/webhook-deliveries/replay", "filter.subject"),
        )
    ),
}
# A filter that takes only what belongs to the order in the path.
WITHIN: Final = {("/v1/orders/{order_id}/next-activity", "waypoint")}


class Belongings:
    """One of each thing of a company, made when first needed, or before."""

    def __init__(self, firm: Firm, made: dict[str, list[str]] | None = None) -> None:
        self.firm = firm
        self._made = {} if made is None else made
        self._paths: dict[str, str] = {}

    async def names(self, kind: str) -> list[str]:
        """All that a thing goes by: its public id, its UUID, and a number's own text."""
        if kind not in self._made:
            public_id = await MAKERS[kind](self.firm)
            self._made[kind] = [public_id, *await self._also(kind, public_id)]
        return self._made[kind]

    async def _also(self, kind: str, public_id: str) -> list[str]:
        columns = "uuid::text, number" if kind == "number" else "uuid::text"
        sql = f"select array[{columns}] from {TABLES.get(kind, f'{kind}s')} where public_id = :name"
        names: list[str] = await self.firm.house.value(sql, name=public_id)
        return names

    async def path(self, template: str) -> str:
        """Fill a path with what the company has, every time with the same."""
        if template not in self._paths:
            self._paths[template] = await doors.addressed(template, self.firm)
        return self._paths[template]

    async def put_into(self, body: Any) -> Any:
        """Put the company's own ids where the document's examples are."""
        if isinstance(body, dict):
            return {name: await self.put_into(part) for name, part in body.items()}
        if isinstance(body, list):
            return [await self.put_into(part) for part in body]
        found = IDENTIFIER.fullmatch(body) if isinstance(body, str) else None
        return body if found is None else (await self.names(found[1]))[0]


async def sent(spot: Spot, own: Belongings, value: str) -> httpx.Response:
    """Send a request that is right, but perhaps for this value at this spot."""
    path = await own.path(spot.template)
    client = doors.client_for(own.firm, path)
    if spot.query:
        beside = dict(parse_qsl(doors.QUESTIONS.get(spot.template, "")))
        return await client.get(path, params={**beside, str(spot.path[0]): value})
    body = await own.put_into(room_for(spot))
    place: Any = body
    for part in spot.path[:-1]:
        place = place[part]
    place[spot.path[-1]] = value
    if spot.path[-1] == "owner" and place.pop("place", None) is not None:
        place["street1"] = "1 Orchard Road"  # Only a new place is given an owner.
    return await client.request(spot.method, path, json=body)


def room_for(spot: Spot) -> Any:
    """Make a body from the document's examples that has the spot."""
    operation = DOCUMENT["paths"][spot.template][spot.method.lower()]
    content = operation["requestBody"]["content"]["application/json"]
    # A change needs nothing but what changes.
    example = {} if spot.template.endswith("}") else content["example"]
    if spot.path[0] == "payload":
        example = {name: part for name, part in example.items() if name not in PARTS}
    # The document is everybody's, so nothing is added to an example of its own.
    present = FORMER.get(spelled(spot.path))
    # Nor a number that nobody has.
    example = {
        name: part
        for name, part in example.items()
        if name != present and not (isinstance(part, str) and TRACKING.fullmatch(part))
    }
    beside = BESIDE.get((spot.template, spelled(spot.path)), {})
    return grown({**example, **beside}, content["schema"], spot.path)


def grown(example: Any, schema: Schema, path: Path) -> Any:
    """Add to an example what a path leads through, from the examples of its parts."""
    if not path:
        return example
    schema = next(each for each in choices(schema) if holds(each, path[0]))
    if isinstance(path[0], int):
        inside = example[0] if isinstance(example, list) and example else None
        return [grown(inside, schema["items"], path[1:])]
    if not isinstance(example, dict):
        example = EXAMPLES.make(schema)
    inside = grown(example.get(path[0]), schema["properties"][path[0]], path[1:])
    return {**example, path[0]: inside}


def choices(schema: Schema) -> Iterator[Schema]:
    schema = resolve(schema, COMPONENTS)
    yield schema
    for choice in schema.get("anyOf", []):
        yield from choices(choice)


def holds(schema: Schema, part: str | int) -> bool:
    return "items" in schema if isinstance(part, int) else part in schema.get("properties", {})


def looked_up(spot: Spot) -> bool:
    """Tell whether what stands there is looked up; the id of what is new is not read."""
    new = spot.method == "POST" and spot.path[-1] == "id" and spot.kind in {"waypoint", "entity"}
    return not new and (spot.template, spelled(spot.path)) not in COMPARED


LOOKED_UP: Final = [spot for spot in SPOTS if looked_up(spot)]
RESOURCES: Final = sorted({spot.resource for spot in LOOKED_UP})


def test_the_document_names_the_fields_there_are() -> None:
    assert sum(not spot.query for spot in LOOKED_UP) >= FIELDS
    assert sum(spot.query for spot in LOOKED_UP) >= FILTERS
    unknown = {spot.kind for spot in SPOTS} - MAKERS.keys()
    assert not unknown, f"Tell MAKERS who makes these: {unknown}."


@pytest.fixture
async def own(house: House, broom: Broom) -> Belongings:
    """Acme with one of everything there is."""

    async def furnish(firm: Firm) -> dict[str, list[str]]:
        own = Belongings(firm)
        return {kind: await own.names(kind) for kind in MAKERS}

    return Belongings(*await broom.furnish(house, "Belongings", furnish))


@pytest.mark.parametrize("resource", RESOURCES)
async def test_what_is_another_companys_is_404_in_every_body_and_filter(
    own: Belongings, rival: Firm, house: House, resource: str
) -> None:
    acme, other = own.firm, Belongings(rival)
    asked = [spot for spot in LOOKED_UP if spot.resource == resource]
    for spot in asked:
        await own.path(spot.template)
        await other.names(spot.kind)
    before = [await doors.contents(house, firm) for firm in (acme, rival)]
    unnamed = []
    for spot in asked:
        for name in await other.names(spot.kind):
            answer = await sent(spot, own, name)
            assert answer.status_code == 404, f"{spot}: {answer.text}"
            told = refused(answer, 404, "not_found")["fields"]
        if not told or not about(spot, told[0]["path"]):
            unnamed.append(spot)
    assert [await doors.contents(house, firm) for firm in (acme, rival)] == before
    for spot in unnamed:
        await see_taken(spot, Belongings(acme))


def about(spot: Spot, told: str) -> bool:
    """Tell whether a refusal is about this spot: it names it, what it is in, or what is in it."""
    path = spelled(spot.path)
    return path.startswith(told) or told.startswith(path)


async def see_taken(spot: Spot, own: Belongings) -> None:
    """See that the company's own is taken there, so that the refusal was about just that."""
    if (spot.template, spelled(spot.path)) not in WITHIN:
        answer = await sent(spot, own, (await own.names(spot.kind))[0])
        assert answer.is_success, f"{spot}: {answer.text}"


@pytest.mark.parametrize("spot", [spot for spot in SPOTS if not looked_up(spot)], ids=str)
async def test_what_is_not_looked_up_tells_and_touches_nothing_of_another_company(
    acme: Firm, rival: Firm, house: House, spot: Spot
) -> None:
    own, other = Belongings(acme), Belongings(rival)
    names = await other.names(spot.kind)
    before = await doors.contents(house, rival)
    for name in names:
        answer = await sent(spot, own, name)
        assert answer.is_success, answer.text
        if spot.query:
            found = answer.json()
            assert listed(found) == []
        assert not [told for told in (*names, str(rival.uuid), "Rival") if told in answer.text]
    assert await doors.contents(house, rival) == before


def listed(found: Any) -> Any:
    """What an answer lists: a page, a bare list, or the cards of a board."""
    if isinstance(found, dict) and "columns" in found:
        return [card for column in found["columns"] for card in column["cards"]]
    return found["data"] if isinstance(found, dict) else found


async def test_a_place_of_another_company_is_404_as_the_id_of_a_stop_too(
    acme: Firm, rival: Firm
) -> None:
    theirs = await doors.place(rival)
    answer = await acme.api.post("/v1/payloads", json={"waypoints": [{"id": theirs}]})
    assert refused(answer, 404, "not_found")["fields"][0]["path"] == "waypoints[0].id"
