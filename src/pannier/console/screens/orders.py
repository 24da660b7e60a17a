"""Orders as a board, table, map or planner, and actions on many of them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import (
    assets,
    confirm,
    door,
    fields,
    journeys,
    lookup,
    maps,
    planner,
    refusals,
    render,
)
from pannier.console.desk import Desk
from pannier.console.door import Sent
from pannier.console.forms import LOCAL, Field
from pannier.console.records import PAGE, zone_of
from pannier.console.statuses import plain
from pannier.console.words import read
from pannier.errors import Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

HOME: Final = "/console/orders"
LAYOUTS: Final = (
    ("board", "Board", "square-kanban"),
    ("table", "Table", "table"),
    ("map", "Map", "map"),
    ("planner", "Planner", "calendar-clock"),
)
# Limits for each column, to keep pages small.
CARDS: Final = 8
PINS: Final = 12
# The icons of cards, included once in the page.
SIGNS: Final = (
    "circle-dot", "map-pin", "ellipsis", "alarm-clock", "triangle-alert", "scan-line", "signature",
    "camera", "message-square", "circle-dashed", "send", "play", "truck", "circle-check",
    "circle-x", "circle-alert", "pause", "undo-2", "wallet",
)  # fmt: skip
PROOFS: Final = {
    "scan": ("scan-line", "a scan"),
    "signature": ("signature", "a signature"),
    "photo": ("camera", "a photo"),
    "sms": ("message-square", "an SMS code"),
}


class Stage(NamedTuple):
    """A column of the board: its action for a moved card, and the filter of its orders."""

    label: str
    color: str
    verb: str
    all: Mapping[str, str]


STAGES: Final[Mapping[str, Stage]] = {
    "unassigned": Stage(
        "Unassigned", "grey", "unassign", {"status": "created", "unassigned": "true"}
    ),
    "assigned": Stage("Assigned", "cyan", "assign", {"status": "created", "unassigned": "false"}),
    "dispatched": Stage("Dispatched", "blue", "dispatch", {"status": "dispatched"}),
    "in_progress": Stage("In progress", "violet", "start", {"started": "true", "active": "true"}),
    "attention": Stage("Needs attention", "amber", "", {"attention": "true"}),
    "completed": Stage("Completed", "green", "complete", {"status": "completed"}),
}


class Verb(NamedTuple):
    """An action on orders, and the form fields that it takes."""

    label: str
    said: str
    method: str
    door: str
    fields: Sequence[str] = ()
    # The question before an action that cannot be undone.
    sure: str = ""


VERBS: Final[Mapping[str, Verb]] = {
    "assign": Verb("Assign", "Assigned.", "POST", planner.ASSIGN, ("driver",)),
    "unassign": Verb("Unassign", "Unassigned.", "DELETE", planner.ASSIGN),
    "dispatch": Verb(
        "Dispatch", "Dispatched.", "POST", "/v1/orders/{order_id}/dispatch", ("driver",)
    ),
    "start": Verb("Start", "Started.", "POST", "/v1/orders/{order_id}/start"),
    "complete": Verb(
        "Complete", "Completed.", "POST", "/v1/orders/{order_id}/complete", sure=journeys.COMPLETING
    ),
    "cancel": Verb(
        "Cancel orders",
        "Canceled.",
        "POST",
        "/v1/orders/{order_id}/cancel",
        ("reason",),
        sure=journeys.CANCELING,
    ),
}
YES_NO: Final = (("true", "Yes"), ("false", "No"))
STATUSES: Final = ("created", "dispatched", "started", "enroute", "completed", "canceled")
FIRST: Final = (
    Field(name="query", label="Number, note or customer"),
    Field(name="driver", label="Driver", kind="record", resource="drivers",
          placeholder="Any driver"),
    Field(
        name="status", label="Status", kind="choice",
        options=[(status, plain(status)) for status in STATUSES],
    ),
    Field(name="on", label="Day", kind="day"),
)  # fmt: skip
MORE: Final = (
    Field(name="unassigned", label="Unassigned", kind="choice", options=YES_NO),
    Field(name="attention", label="Needs attention", kind="choice", options=YES_NO),
    Field(
        name="price_status", label="Price", kind="choice",
        options=(("unpriced", "No price"), ("priced", "Quoted"), ("accepted", "Accepted")),
    ),
    Field(name="type", label="Order type", placeholder="transport"),
    Field(name="order_config", label="Order flow", kind="record", resource="order-configs"),
    fields.VEHICLE,
    Field(name="customer", label="Customer", kind="record", resource="contacts vendors"),
    Field(name="facilitator", label="Facilitator", kind="record", resource="vendors contacts"),
    Field(name="pickup", label="Pickup", kind="record", resource="places"),
    Field(name="dropoff", label="Drop-off", kind="record", resource="places"),
    Field(name="since", label="Created from", kind="moment"),
    Field(name="until", label="Created before", kind="moment"),
    Field(name="scheduled_since", label="Scheduled from", kind="moment"),
    Field(name="scheduled_until", label="Scheduled before", kind="moment"),
    Field(name="id", label="Order IDs", placeholder="Numbers or IDs, separated by spaces"),
)  # fmt: skip
# Filters of the API without a field in the form.
BESIDE: Final = ("internal_id", "tracking", "payload", "pod_required", "adhoc", "dispatched",
                 "started", "active", "scheduled")  # fmt: skip


def sought(given: Sent, zone: ZoneInfo) -> dict[str, Any]:
    """Convert the query to the API's filters."""
    asked: dict[str, Any] = {name: given[name] for name in BESIDE if given.get(name)}
    for field in (*FIRST, *MORE):
        if given.get(field.name):
            asked[field.name] = field.asked(given[field.name], zone)
    if given.all("status"):
        asked["status"] = given.all("status")
    if "id" in asked:
        asked["id"] = [name for text in given.all("id") for name in re.split(r"[\s,;]+", text)]
    return asked


def filled(given: Sent, zone: ZoneInfo) -> dict[str, str]:
    """Return the values of the filter form, with times in the company's zone."""
    made = dict(given)
    for field in (*FIRST, *MORE):
        if field.kind == "moment" and made.get(field.name):
            made[field.name] = _local(made[field.name], zone)
    return made


def _local(text: str, zone: ZoneInfo) -> str:
    try:
        told = read(text)
        return (told.astimezone(zone) if told.tzinfo else told).strftime(LOCAL)
    except (ValueError, OverflowError):
        return ""


@get("/orders")
async def console_orders(exchange: Exchange) -> Response[bytes]:
    """Show orders in the selected layout."""
    desk, given = Desk(exchange), Sent(exchange.query)
    zone = await zone_of(desk)
    layout = given.get("layout", "")
    layout = layout if layout in VIEWS else "board"
    wrong, shown = "", {}
    try:
        given = await lookup.resolve(desk, (*FIRST, *MORE), given)
        shown = await VIEWS[layout](desk, sought(given, zone), given, zone)
    except Problem as problem:
        if problem.status not in {400, 404, 422}:
            raise
        wrong = _sentence(problem)
    return await render.page(
        desk, f"orders/{layout}.html", title="Orders", home=HOME, layout=layout, layouts=LAYOUTS,
        first=FIRST, more=MORE, given=filled(given, zone), kept=_kept(given), wrong=wrong,
        stages=STAGES, verbs=VERBS, signs=assets.sprite(*SIGNS), proofs=PROOFS,
        people=[] if layout == "map" else await planner.people(desk),
        number=number, ends=ends, moves_of=journeys.moves, drawn_ones=SIGNS,
        may=desk.may("POST", planner.ASSIGN), **shown,
    )  # fmt: skip


def _kept(given: Sent) -> dict[str, str]:
    """Return the filters that all layouts share."""
    return {name: value for name, value in given.items() if name not in {"cursor", "layout"}}


async def _board(desk: Desk, asked: dict[str, Any], _: Sent, __: ZoneInfo) -> dict[str, Any]:
    board = await desk.get("/int/v1/orders/board", {**asked, "limit": str(CARDS)})
    return {"columns": board["columns"]}


async def _table(desk: Desk, asked: dict[str, Any], given: Sent, _: ZoneInfo) -> dict[str, Any]:
    paging = {name: given[name] for name in ("cursor", "sort") if given.get(name)}
    found = await desk.rows("/v1/orders", {"limit": str(PAGE), **asked, **paging})
    return {"rows": found.rows, "cursor": found.cursor, "sort": given.get("sort", "-created_at")}


async def _map(desk: Desk, asked: dict[str, Any], _: Sent, __: ZoneInfo) -> dict[str, Any]:
    board = await desk.get("/int/v1/orders/board", {**asked, "limit": str(PINS)})
    open_ones = [column for column in board["columns"] if column["stage"] != "completed"]
    rows = [(column["stage"], card) for column in open_ones for card in column["cards"]]
    online = (await desk.rows("/v1/drivers", {"online": "true", "limit": "100"})).rows
    features = [feature for stage, card in rows for feature in _pins(stage, card)]
    features += [_driver(driver) for driver in online if driver["location"]]
    return {
        "rows": rows,
        "features": maps.collection(features),
        "beyond": any(column["more"] for column in open_ones),
    }


def ends(order: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """List the places of an order: its stops, or its pickup and drop-off."""
    payload = order["payload"]
    stops = [stop["place"] for stop in payload["waypoints"]]
    return stops or [place for place in (payload["pickup"], payload["dropoff"]) if place]


def number(order: Any) -> str:  # noqa: ANN401 - JSON
    """Return the order's internal ID, or else its tracking number."""
    return str(order["internal_id"] or order["tracking_number"]["tracking_number"])


def _pins(stage: str, card: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """Return an order as map features: its line of places, and its last place."""
    order, places = card["order"], ends(card["order"])
    spots = [place["location"] for place in places if place["location"]]
    if not spots:
        return []
    label, color, href = number(order), STAGES[stage].color, f"{HOME}/{order['id']}"
    steps = [spot["coordinates"] for spot in spots]
    return [
        maps.line(f"{order['id']}-way", label, steps, color, href=href),
        maps.point(order["id"], label, spots[-1], color, href=href),
    ]


def _driver(driver: Any) -> Any:  # noqa: ANN401 - JSON
    return maps.point(
        driver["id"], driver["name"], driver["location"], "green", heading=driver["heading"],
        href=f"/console/drivers/{driver['id']}",
    )  # fmt: skip


VIEWS: Final = {"board": _board, "table": _table, "map": _map, "planner": planner.show}


@post("/orders/{identifier:str}/do", status_code=200)
async def console_orders_do(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Do something to an order: the action of a board column or of the card's menu."""
    desk = Desk(exchange)
    sent = await lookup.resolve(desk, [fields.DRIVER], door.sent(exchange))
    name = sent.get("verb", "")
    if name == "plan":
        said = await planner.plan(desk, identifier, sent)
    else:
        verb = _verb(name)
        if verb.sure:
            confirm.require(exchange, verb.sure, verb.label)
        body = _body(verb, sent)
        version = sent.get("version") or None
        await desk.act(verb.method, verb.door, body, version=version, order_id=identifier)
        said = verb.said
    return render.led(exchange, refusals.came_from(exchange), said=said)


def _verb(name: str) -> Verb:
    if name not in VERBS:
        raise Invalid(
            "Orders appear under Needs attention when they are late or have an open issue."
        )
    return VERBS[name]


def _body(verb: Verb, sent: Sent) -> dict[str, str] | None:
    """Make the body from the fields that the action takes."""
    body = {name: sent[name] for name in verb.fields if sent.get(name)}
    if verb is VERBS["assign"] and not body:
        raise Invalid("Select a driver.")
    return body if verb.method == "POST" else None


def _sentence(problem: Problem) -> str:
    """Describe a problem in one text, with the errors of its fields."""
    messages = (field.message for field in problem.fields)
    said = " ".join([problem.detail, *(one for one in messages if one not in problem.detail)])
    return said[:1].upper() + said[1:]


@post("/orders/bulk", status_code=200)
async def console_orders_bulk(exchange: Exchange) -> Response[bytes]:
    """Do the same to several orders, each on its own, and show the results."""
    desk, sent = Desk(exchange), door.sent(exchange)
    back, chosen = refusals.came_from(exchange), sorted(set(sent.all("order")))
    if not chosen:
        refused = "Select at least one order. Press X to select a row."
        return render.led(exchange, back, refused=refused)
    if len(chosen) > PAGE:
        refused = f"{len(chosen)} orders selected. You can change up to {PAGE} at a time."
        return render.led(exchange, back, refused=refused)
    verb = _verb(sent.get("verb", ""))
    if verb.sure:
        many = f"{len(chosen)} orders selected. " if len(chosen) > 1 else ""
        confirm.require(exchange, many + verb.sure, verb.label)
    sent = await lookup.resolve(desk, [fields.DRIVER], sent)
    body = _body(verb, sent)
    # A fixed sequence, so that two of these requests cannot deadlock.
    refusals_of = {
        order: await desk.attempt(verb.method, verb.door, body, order_id=order) for order in chosen
    }
    found = await desk.rows("/v1/orders", {"id": chosen, "limit": str(PAGE)})
    known = {order["id"]: order for order in found.rows}
    results = [
        (order, known.get(order), _sentence(problem) if problem else "")
        for order, problem in refusals_of.items()
    ]
    results.sort(key=lambda result: not result[2])
    done = sum(not result[2] for result in results)
    return await render.page(
        desk, "orders/done.html", title=f"{verb.label}: {done} of {len(results)} done", home=HOME,
        results=results, done=done, said_of_each=verb.said, back=back, at=back, number=number,
    )  # fmt: skip


handlers: Final = [console_orders, console_orders_do, console_orders_bulk]
