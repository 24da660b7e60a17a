"""One order: what it is, where it stands, what comes next and why that may be held up."""

from collections.abc import Mapping
from typing import Any, Final, cast

from litestar import Response

from pannier.console import door, maps, render
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form
from pannier.console.records import Action, Column, Records
from pannier.console.screens.proofs import SIGNS, picture
from pannier.errors import NotFound
from pannier.files.downloads import Download
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

ONE: Final = "/v1/orders/{order_id}"
HOME: Final = "/console/orders"
OVER: Final = frozenset({"completed", "canceled"})
METHODS: Final = (
    ("signature", "Signature"),
    ("photo", "Photo"),
    ("scan", "Scan"),
    ("sms", "Code by SMS"),
)
# How a proof that is missing is spoken of.
PROOFS: Final[Mapping[str, str]] = {
    "signature": "a signature",
    "photo": "a photo",
    "scan": "a scan",
    "sms": "the code that is sent by SMS",
}
# What is pressed for an activity that every flow has.
VERBS: Final[Mapping[str, str]] = {"dispatched": "Dispatch", "started": "Start"}
COLOURS: Final[Mapping[str, str]] = {"pickup": "blue", "dropoff": "green", "return": "amber"}
# What is next after an attempt that failed, and with which colour and sign that is said.
THENS: Final[Mapping[str, tuple[str, str, str]]] = {
    "retry": ("Try again", "blue", "rotate-ccw"),
    "hold": ("Waits for a decision", "amber", "pause"),
    "return": ("Goes back", "grey", "undo-2"),
}
DECIDED: Final[Mapping[str, str]] = {
    "retry": "It is tried again.",
    "return": "It goes back.",
}
EVENTS: Final = "20"
MESSAGES: Final = "10"

EDIT: Final = Form(
    (
        Field(name="internal_id", label="Your own number", placeholder="SO-2041"),
        Field(
            name="customer", label="Customer", kind="record", resource="contacts",
            shown="customer.id",
        ),
        Field(
            name="facilitator", label="Carried out by", kind="record", resource="vendors",
            shown="facilitator.id", help="A vendor who does it for you.",
        ),
        Field(
            name="pickup", label="Pickup", kind="record", resource="places", nullable=False,
            shown="payload.pickup.id", help="A place, an address, or a point: 1.2966,103.8520",
        ),
        Field(
            name="dropoff", label="Dropoff", kind="record", resource="places", nullable=False,
            shown="payload.dropoff.id",
        ),
        Field(
            name="scheduled_at", label="Dispatches itself at", kind="moment",
            help="Only before it is dispatched.",
        ),
        Field(name="time_window_start", label="Not before", kind="moment"),
        Field(name="time_window_end", label="Not after", kind="moment"),
        Field(name="pod_required", label="Needs a proof of delivery", kind="switch"),
        Field(name="pod_method", label="Proof by", kind="choice", options=METHODS),
        Field(
            name="adhoc", label="Any driver nearby may take it", kind="switch",
        ),
        Field(name="notes", label="Notes for the driver", kind="area"),
        Field(name="meta", label="Your own data", kind="json"),
    )
)  # fmt: skip
ASSIGN: Final = Form(
    (
        Field(name="driver", label="Driver", kind="record", resource="drivers", required=True,
              help="Type a name or a phone number."),
        Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
              help="The driver's own, if left out."),
    )
)  # fmt: skip
SCHEDULE: Final = Form(
    (Field(name="scheduled_at", label="At", kind="moment", required=True,
           help="In the company's time zone. It is then dispatched to its driver by itself."),)
)  # fmt: skip
CANCEL: Final = Form(
    (
        Field(
            name="reason", label="Why", kind="area", placeholder="The customer changed their mind."
        ),
    )
)


def is_open(order: Any) -> bool:  # noqa: ANN401 - JSON
    """Tell whether something can still happen to an order."""
    return order["status"] not in OVER


def _waits(order: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(order["status"] == "created")


ACTIONS: Final = (
    Action("assign", "Assign", "POST", f"{ONE}/assign-driver", "user-plus", "Driver assigned.",
           form=ASSIGN, when=is_open),
    Action("schedule", "Schedule", "POST", f"{ONE}/schedule", "calendar-clock", "Scheduled.",
           form=SCHEDULE, when=_waits),
    Action("unschedule", "Take schedule back", "POST", f"{ONE}/schedule", "calendar-clock",
           "It does not dispatch itself any more.", body={"scheduled_at": None},
           when=lambda order: _waits(order) and order["scheduled_at"]),
    Action("unassign", "Take driver off", "DELETE", f"{ONE}/assign-driver", "user-x",
           "Driver taken off.", when=lambda order: _waits(order) and order["driver_assigned"]),
    Action("complete", "Complete", "POST", f"{ONE}/complete", "circle-check", "Order completed.",
           when=lambda order: is_open(order) and order["started"],
           sure="Complete the order now? It is refused where a proof is missing."),
    Action("cancel", "Cancel order", "POST", f"{ONE}/cancel", "ban", "Order cancelled.",
           danger=True, form=CANCEL, when=is_open,
           sure="The driver and the customer are told. This cannot be taken back."),
)  # fmt: skip


async def beside(desk: Desk, order: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Gather what the page of an order shows around it."""
    named: Mapping[str, str] = {"order_id": order["id"]}
    tracked = await desk.get(f"{ONE}/tracker", **named)
    proofs = await desk.get(f"{ONE}/proofs", **named)
    statuses = await desk.rows("/v1/tracking-statuses", {"order": order["id"], "limit": "100"})
    numbers = await desk.rows("/v1/tracking-numbers", {"order": order["id"], "limit": "100"})
    coming = await desk.get(f"{ONE}/next-activity", **named) if is_open(order) else []
    shown = [{**proof, "picture": picture(proof)} for proof in proofs]
    return {
        "attempts": await _attempts(desk, order, shown),
        "failing": await _failing(desk, order, coming),
        "thens": THENS,
        "next": [_spoken(activity, order) for activity in coming],
        "tracked": tracked,
        "stops": _stops(order, tracked),
        "statuses": statuses.rows,
        "followed": {row["tracking_number"]: row["tracking_url"] for row in numbers.rows},
        "proofs": shown,
        "quotes": (await desk.rows("/int/v1/orders/{order_id}/service-quotes", **named)).rows,
        "transaction": await _transaction(desk, order),
        "events": (
            await desk.rows("/int/v1/events", {"subject": order["id"], "limit": EVENTS})
        ).rows,
        "messages": await _messages(desk, order),
        "features": features(order, tracked),
        "open": is_open(order),
        "signs": SIGNS,
        "base_url": desk.exchange.edge.settings.base_url.rstrip("/"),
    }


async def _attempts(desk: Desk, order: Any, proofs: list[Any]) -> list[Mapping[str, Any]]:  # noqa: ANN401 - JSON
    """List the attempts that failed: where, what was captured, and whether somebody may decide."""
    if not order["attempts"]:
        return []
    found = await desk.rows(f"{ONE}/attempts", {"limit": "60"}, order_id=order["id"])
    stops = {stop["id"]: stop for stop in order["payload"]["waypoints"]}
    told: list[Mapping[str, Any]] = []
    latest: set[str | None] = set()
    for attempt in found.rows:
        stop = stops.get(attempt["waypoint"])
        standing = (stop or order)["undelivered"] if attempt["waypoint"] not in latest else None
        latest.add(attempt["waypoint"])
        told.append(
            {
                **attempt,
                "where": (stop["name"] or stop["address"]) if stop else None,
                "waits": standing if is_open(order) else None,
                "proofs": [proof for proof in proofs if proof["id"] in attempt["proofs"]],
            }
        )
    return told


async def _failing(desk: Desk, order: Any, coming: list[Any]) -> list[Any]:  # noqa: ANN401 - JSON
    """List why what is being delivered may fail; nothing, while nothing is."""
    delivering = order["started"] and any(one["code"] != "returned" for one in coming)
    if not delivering or not desk.may("POST", f"{ONE}/fail-attempt"):
        return []
    ahead = await desk.get(f"{ONE}/flow", order_id=order["id"])
    return list(ahead["failure_reasons"])


async def _transaction(desk: Desk, order: Any) -> Any:  # noqa: ANN401 - JSON
    if order["transaction"] is None:
        return None
    return await desk.get(
        "/int/v1/transactions/{transaction_id}", transaction_id=order["transaction"]
    )


async def _messages(desk: Desk, order: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """Find what the customer was told since the order was placed."""
    phone = (order["customer"] or {}).get("phone")
    if not phone:
        return []
    found = await desk.rows("/int/v1/messages", {"to": phone, "limit": MESSAGES})
    return [one for one in found.rows if one["created_at"] >= order["created_at"]]


def _spoken(activity: Any, order: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Say what pressing for an activity does, and in words what keeps it from happening."""
    return {
        **activity,
        "verb": VERBS.get(activity["code"], activity["status"] or activity["code"]),
        "why": reasons(activity, order),
    }


def reasons(activity: Any, order: Any) -> list[str]:  # noqa: ANN401 - JSON
    """Say why an activity cannot happen yet, a sentence for each thing that it lacks."""
    said = [
        f"Needs {PROOFS[one['method']]} {_where(one, activity, order)}: {_nobody(one['method'])}."
        for one in activity["missing"]
    ]
    if order["driver_assigned"] is None and not order["adhoc"]:
        said.insert(0, "Needs a driver: nobody is assigned to it.")
    return said


def _nobody(method: str) -> str:
    return "nobody has typed it" if method == "sms" else "nobody has captured one"


def _where(demand: Any, activity: Any, order: Any) -> str:  # noqa: ANN401 - JSON
    """Name the stop or item that a proof is missing of; one of the order is captured at a stop."""
    payload = order["payload"]
    for item in payload["entities"]:
        if item["id"] == demand["subject_id"]:
            return f"of {item['name']}"
    for stop in payload["waypoints"]:
        if stop["id"] in {demand["subject_id"], activity["waypoint"]}:
            return f"at {stop['name'] or stop['address']}"
    dropoff = payload["dropoff"]
    return f"at {dropoff['name'] or dropoff['address']}" if dropoff else "of the order"


def _stops(order: Any, tracked: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401 - JSON
    """List the stops with their times; without stops of their own, the two ends."""
    payload = order["payload"]
    etas = {stop["waypoint"]: stop["eta"] for stop in tracked["stops"]}
    if payload["waypoints"]:
        return [
            {
                **stop,
                "eta": etas.get(stop["id"]),
                "current": stop["id"] == tracked["current_waypoint"],
            }
            for stop in payload["waypoints"]
        ]
    ends = [payload["pickup"], payload["dropoff"]]
    return [
        {
            "id": None, "type": stop["type"], "place": place, "name": place["name"],
            "address": place["address"], "location": place["location"], "contact": None,
            "time_window_start": None, "time_window_end": None, "notes": None,
            "complete": stop["complete"], "completed_at": None, "status_code": None,
            "tracking_number": None, "eta": stop["eta"], "current": False,
            "attempts": stop["attempts"], "undelivered": stop["undelivered"],
        }
        for stop, place in zip(tracked["stops"], [end for end in ends if end], strict=False)
    ]  # fmt: skip


def features(order: Any, tracked: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Draw an order: its stops, the way between them, and its driver."""
    stops = [stop for stop in tracked["stops"] if stop["location"]]
    driver = order["driver_assigned"]
    moving = tracked["position"] and driver and is_open(order)
    return maps.collection(
        [
            maps.line("way", "The way", [stop["location"]["coordinates"] for stop in stops]),
            *(_drawn(number, stop) for number, stop in enumerate(stops, 1)),
            maps.point(
                driver["id"], driver["name"], tracked["position"], "violet",
                heading=tracked["heading"], href=f"/console/drivers/{driver['id']}",
            )
            if moving
            else None,
        ]
    )  # fmt: skip


def _drawn(number: int, stop: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    label = f"{number}. {stop['address'].partition(',')[0]}"
    color = "grey" if stop["complete"] else COLOURS.get(stop["type"], "blue")
    return maps.point(f"stop-{number}", label, stop["location"], color)


ORDER: Final = Records(
    "orders",
    noun="order",
    api="/v1/orders",
    name="order_id",
    columns=(Column("Tracking number", "tracking_number.tracking_number", "link"),),
    form=EDIT,
    actions=ACTIONS,
    titled="tracking_number.tracking_number",
    reading="orders/order.html",
    beside=beside,
)


@post("/orders/{identifier:str}/activity", status_code=200)
async def order_activity(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Let the next activity happen."""
    sent = door.sent(exchange)
    body = {"activity": sent.get("activity", ""), "waypoint": sent.get("waypoint") or None}
    done = await Desk(exchange).act(
        "POST", f"{ONE}/update-activity", body, version=sent.get("version"), order_id=identifier
    )
    return _led(exchange, identifier, f"The order is {done['status'].replace('_', ' ')} now.")


@post("/orders/{identifier:str}/override-proof", status_code=200)
async def order_override(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Let an activity happen without its proofs, for a reason that is written down."""
    desk, sent = Desk(exchange), door.sent(exchange)
    template, activity = "/int/v1/orders/{order_id}/override-proof", sent.get("activity", "")
    reason = {"activity": activity, "reason": sent.get("reason", "")}
    await desk.act("POST", template, reason, order_id=identifier)
    moved = {"activity": activity, "waypoint": sent.get("waypoint") or None}
    await desk.act("POST", f"{ONE}/update-activity", moved, order_id=identifier)
    return _led(exchange, identifier, "Done without a proof; the reason is kept with the proofs.")


@post("/orders/{identifier:str}/destination", status_code=200)
async def order_destination(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Choose the stop to go to next."""
    stop = door.sent(exchange).get("stop", "")
    template = f"{ONE}/set-destination/{{stop_id}}"
    await Desk(exchange).act("POST", template, order_id=identifier, stop_id=stop)
    return _led(exchange, identifier, "The driver goes there next.")


@post("/orders/{identifier:str}/attempt", status_code=200)
async def order_attempt(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Write down that something could not be handed over."""
    sent = door.sent(exchange)
    body = {
        "reason": sent.get("reason", ""),
        "remarks": sent.get("remarks", "").strip() or None,
        "then": sent.get("then") or None,
    }
    template = f"{ONE}/fail-attempt"
    await Desk(exchange).act("POST", template, body, order_id=identifier)
    return _led(exchange, identifier, "The attempt is written down; whoever waits reads why.")


@post("/orders/{identifier:str}/decide", status_code=200)
async def order_decide(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Decide what happens to something that could not be handed over."""
    sent = door.sent(exchange)
    then = sent.get("then", "")
    body = {"then": then, "waypoint": sent.get("waypoint") or None}
    template = f"{ONE}/resume-attempt"
    await Desk(exchange).act("POST", template, body, order_id=identifier)
    return _led(exchange, identifier, DECIDED.get(then, "Decided."))


@post("/orders/{identifier:str}/sms-code", status_code=200)
async def order_sms_code(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Send the recipient a code, or let codes be typed again after too many wrong ones."""
    desk, sent = Desk(exchange), door.sent(exchange)
    unlocks = sent.get("do") == "unlock"
    base = "/int/v1/orders/{order_id}/unlock-sms-code" if unlocks else f"{ONE}/send-sms-code"
    subject = sent.get("subject", "")
    named = {"order_id": identifier, **({"subject_id": subject} if subject else {})}
    done = await desk.act("POST", f"{base}/{{subject_id}}" if subject else base, **named)
    said = "Codes can be typed again." if unlocks else f"A code is on its way to {done['sent_to']}."
    return _led(exchange, identifier, said)


@post("/orders/{identifier:str}/quote", status_code=200)
async def order_quote(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Price an order again."""
    template = "/int/v1/orders/{order_id}/service-quotes"
    made = await Desk(exchange).act("POST", template, order_id=identifier)
    said = f"{len(made)} quotes, the cheapest first." if made else "No rate holds for this order."
    return _led(exchange, identifier, said)


@post("/orders/{identifier:str}/accept-quote", status_code=200)
async def order_accept(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Accept one of an order's quotes."""
    quote = door.sent(exchange).get("quote", "")
    template = "/int/v1/service-quotes/{service_quote_id}/accept"
    await Desk(exchange).act("POST", template, {"order": identifier}, service_quote_id=quote)
    return _led(exchange, identifier, "Quote accepted.")


def _led(exchange: Exchange, identifier: str, said: str) -> Response[bytes]:
    return render.led(exchange, f"{HOME}/{identifier}", said=said)


# What the label of an order shows, by its file name.
LABELS: Final = frozenset({"qr.svg", "barcode.svg", "qr.png", "barcode.png"})


@get("/orders/{identifier:str}/proof-sheet.pdf")
async def order_sheet(exchange: Exchange, identifier: str) -> Download:
    """Hand the sheet of an order's proofs out."""
    return await _download(exchange, identifier, "proof-sheet.pdf")


@get("/orders/{identifier:str}/proofs.zip")
async def order_archive(exchange: Exchange, identifier: str) -> Download:
    """Hand all proofs of an order out, with their pictures."""
    return await _download(exchange, identifier, "proofs.zip")


async def _download(exchange: Exchange, identifier: str, name: str) -> Download:
    return cast("Download", await Desk(exchange).answer(f"{ONE}/{name}", order_id=identifier))


@get("/orders/{identifier:str}/proofs.csv")
async def order_table(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Hand a table of an order's proofs out."""
    answer = await Desk(exchange).answer(f"{ONE}/proofs.csv", order_id=identifier)
    return cast("Response[bytes]", answer)


@get("/tracking-numbers/{number:str}/{code:str}")
async def tracking_picture(exchange: Exchange, number: str, code: str) -> Response[bytes]:
    """Draw the code of a tracking number."""
    if code not in LABELS:
        raise NotFound
    template = f"/v1/tracking-numbers/{{number_id}}/{code}"
    return cast("Response[bytes]", await Desk(exchange).answer(template, number_id=number))


@get("/orders/{identifier:str}/label")
async def order_label(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show the label of an order, to print."""
    desk = Desk(exchange)
    order = await desk.get(ONE, order_id=identifier)
    return await render.page(
        desk, "orders/label.html", title=f"Label {ORDER.named(order)}", order=order
    )


handlers: Final = [
    *ORDER.handlers("read", "edit", "delete", "act"),
    order_activity,
    order_override,
    order_attempt,
    order_decide,
    order_destination,
    order_sms_code,
    order_quote,
    order_accept,
    order_sheet,
    order_archive,
    order_table,
    tracking_picture,
    order_label,
]
