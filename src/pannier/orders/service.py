"""Verbs of orders: place, change, schedule, delete."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.db import Db
from pannier.errors import Conflict, Field, Invalid, NotFound, checked
from pannier.kit import ids
from pannier.orders import assignment, events, flow, moves, queries, route
from pannier.orders.configs import service as configs
from pannier.orders.flow import IllegalMove
from pannier.orders.models import Order, OrderConfig
from pannier.orders.queries import ORDERS
from pannier.orders.route import Route
from pannier.orders.schemas import OrderChange, OrderIn, Person, RouteOut
from pannier.partners import service as partners
from pannier.partners.schemas import ContactIn
from pannier.payloads import numbers
from pannier.payloads import queries as payload_queries
from pannier.payloads import service as payloads
from pannier.payloads.numbers import Subject
from pannier.payloads.queries import PAYLOADS, Whole
from pannier.payloads.schemas import PayloadChange, PayloadIn
from pannier.places.queries import places
from pannier.web import fields
from pannier.web.fields import given_fields

# The parts of a payload that may stand at the top of an order.
PARTS: Final = ("pickup", "dropoff", "return_", "waypoints", "entities")
PLAIN: Final = (
    "internal_id", "adhoc", "adhoc_distance", "pod_required", "pod_method", "scheduled_at",
    "time_window_start", "time_window_end", "notes", "meta",
)  # fmt: skip
# What may still be written on an order that is over.
ALWAYS: Final = frozenset({"internal_id", "notes", "meta"})
# Columns by the name under which a caller knows them.
SHOWN: Final = {
    "driver": "driver_assigned",
    "vehicle": "vehicle_assigned",
    "customer_type": "customer",
    "facilitator_type": "facilitator",
    "flow_version": "order_config",
}


class OrderClosed(Conflict):
    """An order that is over takes only notes, its number and meta, and proofs from before."""

    code = "order_closed"
    title = "The order is over; only its notes, internal_id and meta can change."


async def create(db: Db, company: UUID, given: OrderIn) -> Order:
    """Place an order."""
    config = await _config(db, company, given.order_config or given.type)
    whole = await _payload(db, company, given)
    _check_subflows(config, whole)
    way = await measured(db, company, whole)
    order = Order(
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("order"),
        company=company,
        order_config=config.uuid,
        flow_version=config.flow_version,
        type=config.key,
        status=flow.CREATED,
        activity=flow.CREATED,
        payload=whole.payload.uuid,
        distance=way.distance if way else None,
        time=way.time if way else None,
        created_at=db.now,
        updated_at=db.now,
        **_checked(_plain(given)),
        **await _partners(db, company, given),
    )
    columns, driver = await assignment.columns_of(
        db, order, given.driver, UNSET if given.vehicle is None else given.vehicle
    )
    order = msgspec.structs.replace(order, **columns)
    await ORDERS.insert(db, order)
    whole = await payloads.attach(db, whole, order.uuid)
    await _tell_created(db, order, whole, config)
    if driver is not None:
        await assignment.tell_driver(db, order, driver)
    return await moves.dispatch(db, order) if given.dispatch else order


async def _tell_created(db: Db, order: Order, whole: Whole, config: OrderConfig) -> None:
    """Give the order, its stops and its items their numbers, and tell of all."""
    subjects = [
        Subject("order", order.uuid, order.public_id),
        *(Subject("waypoint", each.uuid, each.public_id) for each in whole.waypoints),
        *(Subject("entity", each.uuid, each.public_id) for each in whole.entities),
    ]
    rows = await numbers.reserve(db, order.company, order.uuid, subjects)
    links = await queries.links(db, order.company, order.uuid)
    await events.tell(db, events.OrderCreated, order, links)
    await numbers.tell(db, order.company, order.public_id, subjects, rows)
    created = next(each for each in config.flow if each.code == flow.CREATED)
    await moves.note_created(db, order, links, created)


async def change(db: Db, order: Order, given: OrderChange) -> Order:
    """Change what is given and differs, and tell which fields that were."""
    wanted = given_fields(given)
    if not order.open and not wanted.keys() <= ALWAYS:
        raise OrderClosed
    if "scheduled_at" in wanted:
        _check_schedule(order, wanted["scheduled_at"])
    columns = _checked({name: wanted[name] for name in PLAIN if name in wanted}, order)
    columns |= await _configured(db, order, given)
    columns |= await _partners(db, order.company, given)
    if await _payload_changed(db, order, given):
        way = await _measured_again(db, order)
        columns |= {"distance": way.distance if way else None, "time": way.time if way else None}
        order = await moves.touched(db, order)
        return await _saved(db, order, given, columns, ["payload"])
    return await _saved(db, order, given, columns, [])


async def _saved(
    db: Db, order: Order, given: OrderChange, columns: dict[str, Any], told: list[str]
) -> Order:
    """Write what differs, and tell it in one event, a new driver in one of their own."""
    driver = None
    if given.driver is not UNSET:
        assigned, driver = await assignment.columns_of(db, order, given.driver, given.vehicle)
        columns |= assigned
    elif given.vehicle is not UNSET:
        columns["vehicle"] = await assignment.vehicle_of(db, order.company, given.vehicle)
    saved, changed = await ORDERS.change(db, order, **columns)
    told = list(dict.fromkeys(told + [SHOWN.get(name, name) for name in changed]))
    if told:
        links = await queries.links(db, saved.company, saved.uuid)
        await events.tell(db, events.OrderUpdated, saved, links, changed=told)
    if driver is not None and "driver" in changed:
        await assignment.tell_driver(db, saved, driver)
    return saved


async def schedule(db: Db, order: Order, moment: datetime | None) -> Order:
    """Set when an order dispatches itself, or that it does not."""
    return await change(db, order, OrderChange(scheduled_at=moment))


def _check_schedule(order: Order, moment: datetime | None) -> None:
    if order.status != flow.CREATED and moment != order.scheduled_at:
        raise IllegalMove(f"A {order.status} order cannot be scheduled.", ())


async def delete(db: Db, order: Order) -> Order:
    """Delete an order; one that is open is cancelled first, so that everybody hears of it."""
    if order.open:
        order = await moves.cancel(db, order)
    return await ORDERS.remove(db, order)


async def _config(db: Db, company: UUID, name: str | None) -> OrderConfig:
    config = await configs.named(db, company, name)
    if config.status != "active":
        sentence = "This order configuration is inactive."
        raise Invalid(fields=[Field("order_config", sentence)])
    return config


async def _configured(db: Db, order: Order, given: OrderChange) -> dict[str, Any]:
    """Give an order another flow, as long as nothing has happened on the one it has."""
    name = given.order_config if given.order_config is not UNSET else given.type
    if isinstance(name, UnsetType):
        return {}
    config = await _config(db, order.company, name)
    if config.uuid == order.order_config:
        return {}
    if order.status != flow.CREATED:
        raise IllegalMove(f"A {order.status} order keeps its flow.", ())
    payload = await PAYLOADS.get(db, order.company, order.payload)
    _check_subflows(config, await payload_queries.whole(db, order.company, payload))
    return {
        "order_config": config.uuid,
        "flow_version": config.flow_version,
        "type": config.key,
    }


def _check_subflows(config: OrderConfig, whole: Whole) -> None:
    wrong = [
        Field(f"waypoints[{number}].subflow", f"The order configuration has no {stop.subflow}.")
        for number, stop in enumerate(whole.waypoints)
        if stop.subflow is not None and stop.subflow not in config.subflows
    ]
    if wrong:
        raise Invalid(fields=wrong)


def _plain(given: OrderIn) -> dict[str, Any]:
    return {name: getattr(given, name) for name in PLAIN}


def _checked(columns: dict[str, Any], order: Order | None = None) -> dict[str, Any]:
    """Settle the given columns, and see that they fit together with those that stay."""
    if "meta" in columns:
        columns["meta"] = checked("meta", fields.bounded, columns["meta"] or {})

    def resulting(name: str) -> Any:  # noqa: ANN401 - whatever the column holds
        return columns[name] if name in columns else getattr(order, name)

    if resulting("pod_required") and resulting("pod_method") is None:
        raise Invalid(fields=[Field("pod_method", "Say which proof is required.")])
    begin, end = resulting("time_window_start"), resulting("time_window_end")
    if begin is not None and end is not None and end < begin:
        raise Invalid(fields=[Field("time_window_end", "The window ends before it begins.")])
    return columns


async def _partners(db: Db, company: UUID, given: OrderIn | OrderChange) -> dict[str, Any]:
    """Find whom the order is for and who carries it out; a new person becomes a contact."""
    columns: dict[str, Any] = {}
    for name in ("customer", "facilitator"):
        wanted = getattr(given, name)
        if isinstance(wanted, UnsetType):
            continue
        if wanted is None:
            columns |= {name: None, f"{name}_type": None}
        elif isinstance(wanted, Person):
            contact = await partners.create_contact(db, company, _contact(wanted))
            columns |= {name: contact.uuid, f"{name}_type": "contact"}
        else:
            found = await queries.partner(db, company, name, wanted)
            columns |= {name: found.uuid, f"{name}_type": found.type}
    return columns


def _contact(person: Person) -> ContactIn:
    return ContactIn(type="customer", **msgspec.structs.asdict(person))


async def _payload(db: Db, company: UUID, given: OrderIn) -> Whole:
    """Find or make what the order moves."""
    parts = {name: getattr(given, name) for name in PARTS if getattr(given, name) is not None}
    if given.payload is None:
        return await payloads.create(db, company, PayloadIn(**parts))
    if parts:
        sentence = "Give either a payload or its parts at the top, not both."
        raise Invalid(fields=[Field("payload", sentence)])
    if isinstance(given.payload, PayloadIn):
        return await payloads.create(db, company, given.payload, path="payload")
    try:
        payload = await PAYLOADS.take(db, company, given.payload)
    except NotFound:
        raise NotFound(fields=[Field("payload", "There is no such payload.")]) from None
    if payload.order_uuid is not None:
        raise payloads.PayloadTaken
    return await payload_queries.whole(db, company, payload)


async def _payload_changed(db: Db, order: Order, given: OrderChange) -> bool:
    """Change what the order moves, if that is asked for; tell whether anything differs now."""
    parts = {name: getattr(given, name) for name in PARTS if getattr(given, name) is not UNSET}
    wanted = PayloadChange(**parts) if parts else given.payload
    if isinstance(wanted, UnsetType):
        return False
    payload = await PAYLOADS.take(db, order.company, order.payload)
    if isinstance(wanted, str):
        named = await PAYLOADS.find(db, order.company, wanted)
        if named is None:
            raise NotFound(fields=[Field("payload", "There is no such payload.")])
        if named.uuid == payload.uuid:
            return False
        raise Invalid(fields=[Field("payload", "An order keeps its payload; change that one.")])
    before = await payload_queries.whole(db, order.company, payload)
    path = "" if parts else "payload"
    return await payloads.change(db, payload, wanted, path=path) != before


async def _measured_again(db: Db, order: Order) -> Route | None:
    payload = await PAYLOADS.get(db, order.company, order.payload)
    whole = await payload_queries.whole(db, order.company, payload)
    return await measured(db, order.company, whole)


async def measured(db: Db, company: UUID, whole: Whole) -> Route | None:
    """Measure the way through every stop, or from the pickup to the dropoff."""
    payload = whole.payload
    ends = [uuid for uuid in (payload.pickup, payload.dropoff) if uuid is not None]
    wanted = [stop.place for stop in whole.waypoints] or ends
    found = await places.among(db, company, wanted)
    return route.along([found[uuid].location for uuid in wanted])


async def route_of(db: Db, order: Order) -> RouteOut:
    """Measure an order's way as it is now."""
    way = await _measured_again(db, order)
    return RouteOut(way.distance if way else None, way.time if way else None)
