"""Creating, changing, scheduling and deleting orders."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.customers.recognition import PersonKey, expect, recognised_contact
from pannier.db import Db
from pannier.db.row import Named
from pannier.errors import Field, Invalid, checked, naming
from pannier.kit import ids
from pannier.kit.structs import remade
from pannier.orders import aggregate, assignment, events, flow, moves, queries, spellings
from pannier.orders.aggregate import OrderClosed
from pannier.orders.configs import service as configs
from pannier.orders.flow import IllegalMove
from pannier.orders.models import CHANGEABLE_WHEN_CLOSED, Order, OrderConfig
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import pricing
from pannier.orders.quotes import service as quotes
from pannier.orders.quotes.owing import PAID_ELSEWHERE, Accepting
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.schemas import OrderChange, OrderIn, Person
from pannier.orders.views import Aggregate, Shown
from pannier.partners.models import Contact, Vendor
from pannier.partners.schemas import ContactIn
from pannier.payloads import numbers
from pannier.payloads import queries as payload_queries
from pannier.payloads import service as payloads
from pannier.payloads.changes import subject
from pannier.payloads.lookup import people_of
from pannier.payloads.numbers import Subject
from pannier.payloads.queries import PAYLOADS, Whole
from pannier.payloads.schemas import PayloadChange, PayloadIn, WaypointIn
from pannier.places.models import Owner
from pannier.web import fields
from pannier.web.fields import given_fields

# Fields of a payload that may be sent at the top level of an order.
PARTS: Final = ("pickup", "dropoff", "return_", "waypoints", "entities")
PLAIN: Final = (
    "internal_id", "adhoc", "adhoc_distance", "pod_required", "pod_method", "scheduled_at",
    "time_window_start", "time_window_end", "notes", "meta",
)  # fmt: skip
EITHER: Final = "Send either `payload` or its parts at the top level, not both."
# How far in the past a scheduled time may lie, because clocks differ.
PAST_TOLERANCE: Final = timedelta(minutes=5)
ONE_WAYPOINT: Final = "Send at least two waypoints, or a pickup and a dropoff."
ACCEPT_QUOTE: Final = "Accept a quote with POST /v1/service-quotes/{id}/accept."
DISPATCH: Final = "Dispatch the order with POST /v1/orders/{id}/dispatch."
STATUS_BY_ACTION: Final = (
    "The status follows from actions. Use dispatch, start, update-activity, complete or cancel."
)


async def create(
    db: Db,
    company: UUID,
    given: OrderIn,
    accepting: Accepting = PAID_ELSEWHERE,
    *,
    place_owner: Owner | None = None,
) -> Aggregate:
    """Create an order, and accept the quote that it names on the given `terms`.

    New places belong to `place_owner`, or else to the order.
    """
    given = spellings.merge_aliases(given)
    _check_status(given.status, flow.CREATED)
    _check_future(db, given.scheduled_at)
    name = Named(db.new_uuid(), ids.new_public_id("order"))
    await _expect_people(db, company, given)
    config = await _config(db, company, given.order_config or given.type, _config_path(given))
    moved = await _payload(db, company, given, name, place_owner)
    whole = next(iter(moved.wholes.values()))
    _check_route(given, whole)
    _check_subflows(config, whole)
    shown = remade(moved, Shown, configs={config.uuid: config.public_id})
    order = ORDERS.draft(
        db,
        company,
        uuid=name.uuid,
        public_id=name.public_id,
        order_config=config.uuid,
        flow_version=config.flow_version,
        type=config.key,
        status=flow.CREATED,
        activity=flow.CREATED,
        payload=whole.payload.uuid,
        **await aggregate.measured(db, company, whole, moved),
        **_checked(_plain(given)),
        **await _partners(db, company, moved, given),
    )
    wish = UNSET if given.vehicle is None else given.vehicle
    held = Aggregate(order, shown)
    columns = await assignment.columns_of(db, held, given.driver, wish)
    held.order = msgspec.structs.replace(order, **columns)
    priced = []
    if given.service_quote is None:
        priced = await pricing.draft_quotes(db, held)
        held.order.price_status = pricing.status_of(priced)
    await ORDERS.insert_all(db, [held.order], soon=True)
    await aggregate.measure_later(db, held.order)
    await _tell_created(db, held, config, new=not isinstance(given.payload, str))
    if priced:
        await QUOTES.insert_all(db, priced)
    if given.service_quote is not None:
        await quotes.accept_new(db, held, given.service_quote, accepting)
    return await moves.dispatch(db, held) if given.dispatch else held


async def _tell_created(db: Db, held: Aggregate, config: OrderConfig, *, new: bool) -> None:
    """Issue tracking numbers for the order and its parts, and emit the events.

    `new` says that the payload was created with the order.
    """
    order, whole = held.order, held.whole
    subjects = [
        Subject("order", order.uuid, order.public_id, new=True),
        *(subject(stop, new=new) for stop in whole.waypoints),
        *(subject(item, new=new) for item in whole.entities),
    ]
    # The order's own event comes first, because the others refer to it.
    rows, unnumbered = await numbers.reserve(db, order.company, order.uuid, subjects)
    held.shown.numbers |= rows
    await events.tell(db, events.OrderCreated, held)
    await numbers.tell(db, order.company, order.public_id, unnumbered, held.shown.numbers)
    created = next(each for each in config.flow if each.code == flow.CREATED)
    await moves.note(db, held, created, None, None)
    await assignment.tell_driver(db, held, ["driver_assigned"])


async def change(db: Db, held: Aggregate, given: OrderChange) -> Aggregate:
    """Update the given fields, and emit which of them changed."""
    order, before = held.order, held.whole
    given = _without_present_partners(held, spellings.merge_aliases(given))
    wanted = given_fields(given)
    _check_status(wanted.pop("status", None), order.status)
    _check_actions(wanted, order)
    if not order.open and not wanted.keys() <= CHANGEABLE_WHEN_CLOSED:
        raise OrderClosed
    if "scheduled_at" in wanted:
        _check_schedule(db, order, wanted["scheduled_at"])
    columns = _checked({name: wanted[name] for name in PLAIN if name in wanted}, order)
    columns |= await _configured(db, held, given)
    await _expect_people(db, order.company, given)
    columns |= await _partners(db, order.company, held.shown, given)
    await _change_payload(db, held, given)
    _check_route(given, held.whole)
    columns |= await assignment.columns_of(db, held, given.driver, given.vehicle)
    told = await aggregate.changed(db, held, before=before, **columns)
    await assignment.tell_driver(db, held, told)
    return held


async def schedule(db: Db, held: Aggregate, moment: datetime | None) -> Aggregate:
    """Set the auto-dispatch time of an order, or clear it."""
    return await change(db, held, OrderChange(scheduled_at=moment))


def _check_schedule(db: Db, order: Order, moment: datetime | None) -> None:
    if moment == order.scheduled_at:
        return
    if order.status != flow.CREATED:
        raise IllegalMove(f"A {order.status} order cannot be scheduled.", ())
    _check_future(db, moment)


def _check_future(db: Db, moment: datetime | None) -> None:
    """Reject a time in the past: the order would be dispatched at once."""
    if moment is not None and moment < db.now - PAST_TOLERANCE:
        raise Invalid(fields=[Field("scheduled_at", "must be in the future.")])


def _check_status(wanted: str | None, present: str) -> None:
    """Reject a change of the status, which only actions may change."""
    if wanted is not None and wanted != present:
        raise Invalid(fields=[Field("status", STATUS_BY_ACTION)])


def _check_actions(wanted: dict[str, Any], order: Order) -> None:
    """Reject fields that would trigger an action. Unchanged values are ignored."""
    quote, dispatch = wanted.pop("service_quote", None), wanted.pop("dispatch", False)
    wrong = []
    if quote is not None and quote != order.service_quote:
        wrong.append(Field("service_quote", ACCEPT_QUOTE))
    if dispatch and order.dispatched_at is None:
        wrong.append(Field("dispatch", DISPATCH))
    if wrong:
        raise Invalid(fields=wrong)


def _without_present_partners(held: Aggregate, given: OrderChange) -> OrderChange:
    """Drop a customer or facilitator that the order already has, even a deleted one."""
    shown = held.shown
    for name in spellings.PARTNERS:
        uuid = getattr(held.order, name)
        row = shown.contacts.get(uuid) or shown.vendors.get(uuid)
        if row is not None and getattr(given, name) in (str(row.uuid), row.public_id):
            given = msgspec.structs.replace(given, **{name: UNSET})
    return given


async def delete(db: Db, held: Aggregate) -> None:
    """Delete an order. An open one is canceled first, so that its events are emitted."""
    if held.order.open:
        await moves.cancel(db, held)
    await ORDERS.remove(db, held.order)


async def _config(db: Db, company: UUID, name: str | None, path: str) -> OrderConfig:
    config = await configs.named(db, company, name, path)
    if config.status != "active":
        sentence = "This order configuration is inactive. Choose another, or activate it."
        raise Invalid(fields=[Field(path, sentence)])
    return config


def _config_path(given: OrderIn | OrderChange) -> str:
    """Return which of the two names of the order configuration the caller used."""
    return "order_config" if given.order_config else "type"


async def _configured(db: Db, held: Aggregate, given: OrderChange) -> dict[str, Any]:
    """Return the columns of a new configuration, allowed only before dispatch."""
    name = given.order_config if given.order_config is not UNSET else given.type
    if isinstance(name, UnsetType):
        return {}
    order = held.order
    config = await _config(db, order.company, name, _config_path(given))
    if config.uuid == order.order_config:
        return {}
    if order.status != flow.CREATED:
        raise IllegalMove(f"The flow of a {order.status} order cannot be changed.", ())
    _check_subflows(config, held.whole)
    held.shown.configs[config.uuid] = config.public_id
    return {
        "order_config": config.uuid,
        "flow_version": config.flow_version,
        "type": config.key,
    }


def _check_route(given: OrderIn | OrderChange, whole: Whole) -> None:
    """Reject a route with a single waypoint."""
    inline = isinstance(given.payload, PayloadChange)
    waypoints = (
        given.payload.waypoints if isinstance(given.payload, PayloadChange) else given.waypoints
    )
    if isinstance(waypoints, list) and waypoints and len(whole.waypoints) == 1:
        path = "payload.waypoints" if inline else "waypoints"
        raise Invalid(fields=[Field(path, ONE_WAYPOINT)])


def _check_subflows(config: OrderConfig, whole: Whole) -> None:
    wrong = [
        Field(
            f"waypoints[{number}].subflow",
            f"The order configuration has no sub-flow {stop.subflow}.",
        )
        for number, stop in enumerate(whole.waypoints)
        if stop.subflow is not None and stop.subflow not in config.subflows
    ]
    if wrong:
        raise Invalid(fields=wrong)


def _plain(given: OrderIn) -> dict[str, Any]:
    return {name: getattr(given, name) for name in PLAIN}


def _checked(columns: dict[str, Any], order: Order | None = None) -> dict[str, Any]:
    """Validate the given columns together with those that stay."""
    if "meta" in columns:
        columns["meta"] = checked("meta", fields.bounded, columns["meta"] or {})

    def resulting(name: str) -> Any:  # noqa: ANN401 - any column type
        return columns[name] if name in columns else getattr(order, name)

    if resulting("pod_required") and resulting("pod_method") is None:
        raise Invalid(
            fields=[Field("pod_method", "This field is required when a proof is required.")]
        )
    begin, end = resulting("time_window_start"), resulting("time_window_end")
    if begin is not None and end is not None and end < begin:
        raise Invalid(fields=[Field("time_window_end", "must not be before `time_window_start`.")])
    return columns


async def _partners(
    db: Db, company: UUID, shown: payload_queries.Shown, given: OrderIn | OrderChange
) -> dict[str, Any]:
    """Resolve the customer and the facilitator. A described person becomes a contact."""
    columns: dict[str, Any] = {}
    for name in ("customer", "facilitator"):
        wanted = getattr(given, name)
        if isinstance(wanted, UnsetType):
            continue
        found = None if wanted is None else await _partner(db, company, name, wanted)
        columns |= {name: found and found.uuid, f"{name}_type": None}
        if isinstance(found, Contact):
            columns[f"{name}_type"] = "contact"
            shown.contacts[found.uuid] = found
        elif isinstance(found, Vendor):
            columns[f"{name}_type"] = "vendor"
            shown.vendors[found.uuid] = found
    return columns


async def _expect_people(db: Db, company: UUID, given: OrderIn | OrderChange) -> None:
    """Prefetch the customer and the stops' contacts together, if both are described."""
    parts = given.payload if isinstance(given.payload, PayloadChange) else given
    stops = parts.waypoints if isinstance(parts.waypoints, list) else []
    people = people_of(stop.contact for stop in stops if isinstance(stop, WaypointIn))
    customer = given.customer
    if people and isinstance(customer, Person):
        key = PersonKey(customer.name, customer.phone, customer.email, customer.internal_id)
        await expect(db, company, [key, *people])


async def _partner(db: Db, company: UUID, name: str, wanted: str | Person) -> Contact | Vendor:
    if isinstance(wanted, Person):
        with naming(name):
            return await recognised_contact(db, company, _contact(wanted))
    return await queries.partner(db, company, name, wanted)


def _contact(person: Person) -> ContactIn:
    described = msgspec.structs.asdict(person)
    for name in spellings.IDENTIFIERS:
        del described[name]
    return ContactIn(type="customer", **described)


async def _payload(
    db: Db, company: UUID, given: OrderIn, order: Named, place_owner: Owner | None
) -> payload_queries.Shown:
    """Create the order's payload, or attach the existing one that it names."""
    parts = {name: getattr(given, name) for name in PARTS if getattr(given, name) is not None}
    if given.payload is not None and parts:
        raise Invalid(fields=[Field("payload", EITHER)])
    cash = spellings.cash_fields(given)
    if isinstance(given.payload, str):
        return await _existing_payload(db, company, given.payload, order, cash)
    wanted, path = (given.payload, "payload") if given.payload else (PayloadIn(**parts), "")
    wanted = spellings.with_cash(wanted, cash)
    return await payloads.create(
        db, company, wanted, path=path, order=order, place_owner=place_owner
    )


async def _existing_payload(
    db: Db, company: UUID, identifier: str, order: Named, cash: dict[str, Any]
) -> payload_queries.Shown:
    payload = await PAYLOADS.named(db, company, "payload", identifier, hold=True)
    if payload.order_uuid is not None:
        raise payloads.PayloadTaken
    shown = await payload_queries.shown(db, company, [payload.uuid])
    if cash:
        await payloads.change(db, shown, shown.wholes[payload.uuid], PayloadChange(**cash))
    await payloads.attach(db, shown, shown.wholes[payload.uuid], order)
    return shown


async def _change_payload(db: Db, held: Aggregate, given: OrderChange) -> None:
    """Update the payload, if the request changes any of it."""
    parts = {name: getattr(given, name) for name in PARTS if getattr(given, name) is not UNSET}
    if isinstance(given.payload, str):
        await _check_payload(db, held.order, given.payload)
    elif parts and given.payload is not UNSET:
        raise Invalid(fields=[Field("payload", EITHER)])
    cash = spellings.cash_fields(given)
    if parts or (cash and not isinstance(given.payload, PayloadChange)):
        wanted: Any = PayloadChange(**parts, **cash)
    else:
        wanted = spellings.with_cash(given.payload, cash)
    if isinstance(wanted, PayloadChange):
        path = "payload" if isinstance(given.payload, PayloadChange) else ""
        await payloads.change(db, held.shown, held.whole, wanted, path=path)


async def _check_payload(db: Db, order: Order, identifier: str) -> None:
    """Reject a payload other than the order's own."""
    named = await PAYLOADS.named(db, order.company, "payload", identifier)
    if named.uuid != order.payload:
        raise Invalid(
            fields=[
                Field(
                    "payload", "An order's payload cannot be replaced. Change the payload itself."
                )
            ]
        )
