"""Creation, changes, scheduling and deletion of orders."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from pannier.accounts.company_settings import queries as company_settings
from pannier.customers.recognition import (
    PersonFields,
    find_contact_by_email,
    find_or_create_contact,
    get_partner,
    lock_new_people,
)
from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import FieldError, Invalid, parse_field, prefix_fields
from pannier.fleet import skills
from pannier.kit import ids
from pannier.orders import aggregate, aliases, assignment, events, flow, moves, order_payload
from pannier.orders.aggregate import OrderClosed
from pannier.orders.configs import service as configs
from pannier.orders.flow import IllegalMove
from pannier.orders.internal_ids import claim_changed_internal_id, claim_internal_id
from pannier.orders.models import CHANGEABLE_WHEN_CLOSED, Order, OrderConfig
from pannier.orders.queries import ORDERS, after_delete
from pannier.orders.quotes import pricing
from pannier.orders.quotes import service as quotes
from pannier.orders.quotes.debts import DEFAULT_TERMS, AcceptanceTerms
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.schemas import OrderChange, OrderCustomerIn, OrderIn
from pannier.orders.views import OrderAggregate, OrderRecords
from pannier.partners.models import Contact, Vendor
from pannier.partners.schemas import ContactIn
from pannier.payloads import numbers
from pannier.payloads import queries as payload_queries
from pannier.payloads.changes import to_subject
from pannier.payloads.lookup import list_described_people
from pannier.payloads.numbers import NumberSubject
from pannier.payloads.queries import PayloadAggregate
from pannier.payloads.schemas import PayloadChange, WaypointIn
from pannier.places.models import Owner
from pannier.routing.route import MeasuredRoute
from pannier.web import fields
from pannier.web.fields import get_sent_fields

PLAIN_FIELDS: Final = (
    "internal_id", "required_skills", "adhoc", "adhoc_distance", "pod_required", "pod_method",
    "scheduled_at", "time_window_start", "time_window_end", "notes", "meta",
)  # fmt: skip
# How far in the past a scheduled time may lie, because clocks differ.
PAST_TOLERANCE: Final = timedelta(minutes=5)
ONE_WAYPOINT: Final = "Send at least two waypoints, or a pickup and a drop-off."
ACCEPT_QUOTE: Final = "Accept a quote with POST /v1/service-quotes/{id}/accept."
RETURN_URL_UNUSED: Final = "Send it with a `service_quote`, or when you accept a quote."
DISPATCH: Final = "Dispatch the order with POST /v1/orders/{id}/dispatch."
STATUS_IS_DERIVED: Final = (
    "The status follows from actions. Use dispatch, start, update-activity, complete or cancel."
)


async def create(
    db: Db,
    company: UUID,
    data: OrderIn,
    terms: AcceptanceTerms = DEFAULT_TERMS,
    *,
    place_owner: Owner | None = None,
    measured_route: MeasuredRoute | None = None,
    return_of: str | None = None,
) -> OrderAggregate:
    """Create an order. Accept its quote, if it has one, on the given `terms`.

    New places belong to `place_owner`, or else to the order. Items of `return_of` are brought back.
    """
    data = aliases.merge_aliases(data)
    _check_status(data.status, flow.CREATED)
    _check_future(db, data.scheduled_at)
    if data.return_url is not None and data.service_quote is None:
        raise Invalid(fields=[FieldError("return_url", RETURN_URL_UNUSED)])
    reference = RowReference(db.new_uuid(), ids.new_public_id("order"))
    await claim_internal_id(db, company, data.internal_id, reference.uuid)
    await _lock_new_people(db, company, data)
    config = await _get_config(db, company, data.order_config or data.type, _get_config_field(data))
    payload_records = await order_payload.create_or_attach_payload(
        db, company, data, reference, place_owner
    )
    payload_aggregate = next(iter(payload_records.payload_aggregates.values()))
    _check_route(data, payload_aggregate)
    _check_subflows(config, payload_aggregate)
    related = OrderRecords.from_payload_records(
        db, payload_records, configs={config.uuid: config.public_id}
    )
    row = ORDERS.draft(
        db,
        company,
        uuid=reference.uuid,
        public_id=reference.public_id,
        order_config=config.uuid,
        flow_version=config.flow_version,
        type=config.key,
        status=flow.CREATED,
        activity=flow.CREATED,
        payload=payload_aggregate.payload.uuid,
        store=terms.store,
        payment_deadline=await _get_payment_deadline(db, company, terms.store),
        return_of=return_of,
        **await aggregate.measure(db, company, payload_aggregate, payload_records, measured_route),
        **_validate_columns({name: getattr(data, name) for name in PLAIN_FIELDS}),
        **await _resolve_partners(db, company, payload_records, data),
    )
    driver, vehicle = aliases.get_assignment(data)
    order = OrderAggregate(row, related)
    if vehicle is None:
        vehicle = UNSET
    columns = await assignment.resolve_assignment(db, order, driver, vehicle)
    order.row = msgspec.structs.replace(row, **columns)
    draft_quotes = []
    if data.service_quote is None:
        draft_quotes = await pricing.draft_quotes(db, order)
        order.row.price_status = pricing.to_price_status(draft_quotes)
    await ORDERS.insert_all(db, [order.row], deferred=True)
    await aggregate.queue_measurement(db, order.row)
    await _finish_creation(db, order, config, is_new_payload=not isinstance(data.payload, str))
    if draft_quotes:
        await QUOTES.insert_all(db, draft_quotes)
    if data.service_quote is not None:
        await quotes.accept_for_new_order(db, order, data.service_quote, terms)
    return await moves.dispatch(db, order) if data.dispatch else order


async def _get_payment_deadline(db: Db, company: UUID, store: UUID | None) -> datetime | None:
    """Return when an order that a store's customer places must be paid, if the store says so."""
    if store is None:
        return None
    minutes = (await company_settings.load(db, company, store)).unpaid_order_minutes
    return None if minutes is None else db.now + timedelta(minutes=minutes)


async def _finish_creation(
    db: Db, order: OrderAggregate, config: OrderConfig, *, is_new_payload: bool
) -> None:
    """Issue tracking numbers for a new order and its parts, and emit the events.

    `is_new_payload` if the payload was created with the order.
    """
    row, payload_aggregate = order.row, order.payload_aggregate
    subjects = [
        NumberSubject("order", row.uuid, row.public_id, is_new=True),
        *(to_subject(stop, is_new=is_new_payload) for stop in payload_aggregate.waypoints),
        *(to_subject(item, is_new=is_new_payload) for item in payload_aggregate.entities),
    ]
    # The order's own event comes first, because the others refer to it.
    rows, new_subjects = await numbers.reserve(db, row.company, row.uuid, subjects)
    order.related.numbers |= rows
    await events.emit(db, events.OrderCreated, order)
    await numbers.emit_number_created(
        db, row.company, row.public_id, new_subjects, order.related.numbers
    )
    created_activity = next(activity for activity in config.flow if activity.code == flow.CREATED)
    await moves.record_activity(db, order, created_activity, None, None)
    await assignment.emit_assignment(db, order, ["driver_assigned"])


async def change(db: Db, order: OrderAggregate, data: OrderChange) -> OrderAggregate:
    """Update an order, and emit an event with the changed fields."""
    row, previous_aggregate = order.row, order.payload_aggregate
    data = _drop_unchanged_partners(order, aliases.merge_aliases(data))
    values = get_sent_fields(data)
    _check_status(values.pop("status", None), row.status)
    _drop_action_fields(values, row)
    if not row.open and not values.keys() <= CHANGEABLE_WHEN_CLOSED:
        raise OrderClosed
    if "scheduled_at" in values:
        _check_schedule(db, row, values["scheduled_at"])
    columns = _validate_columns(
        {name: values[name] for name in PLAIN_FIELDS if name in values}, row
    )
    await claim_changed_internal_id(db, row, columns)
    columns |= await _resolve_config_columns(db, order, data)
    await _lock_new_people(db, row.company, data)
    columns |= await _resolve_partners(db, row.company, order.related, data)
    await order_payload.change_payload(db, order, data)
    _check_route(data, order.payload_aggregate)
    driver, vehicle = aliases.get_assignment(data)
    columns |= await assignment.resolve_assignment(db, order, driver, vehicle)
    changed_fields = await aggregate.finish_change(
        db, order, previous_payload=previous_aggregate, **columns
    )
    await assignment.emit_assignment(db, order, changed_fields)
    return order


async def schedule(db: Db, order: OrderAggregate, moment: datetime | None) -> OrderAggregate:
    """Set the auto-dispatch time of an order, or clear it."""
    return await change(db, order, OrderChange(scheduled_at=moment))


def _check_schedule(db: Db, order: Order, moment: datetime | None) -> None:
    if moment == order.scheduled_at:
        return
    if order.status != flow.CREATED:
        raise IllegalMove(f"A {order.status} order cannot be scheduled.", ())
    _check_future(db, moment)


def _check_future(db: Db, moment: datetime | None) -> None:
    """Reject a time in the past: the order would be dispatched at once."""
    if moment is not None and moment < db.now - PAST_TOLERANCE:
        raise Invalid(fields=[FieldError("scheduled_at", "must be in the future.")])


def _check_status(requested_status: str | None, current_status: str) -> None:
    """Reject a change of the status, which only actions may change."""
    if requested_status is not None and requested_status != current_status:
        raise Invalid(fields=[FieldError("status", STATUS_IS_DERIVED)])


def _drop_action_fields(values: dict[str, Any], order: Order) -> None:
    """Drop the fields that would trigger an action; reject them if their values have changed."""
    quote, dispatch = values.pop("service_quote", None), values.pop("dispatch", False)
    errors = []
    if quote is not None and quote != order.service_quote:
        errors.append(FieldError("service_quote", ACCEPT_QUOTE))
    if dispatch and order.dispatched_at is None:
        errors.append(FieldError("dispatch", DISPATCH))
    if errors:
        raise Invalid(fields=errors)


def _drop_unchanged_partners(order: OrderAggregate, data: OrderChange) -> OrderChange:
    """Drop a customer or facilitator that stays the same, even a deleted one."""
    related = order.related
    for name in aliases.PARTNER_FIELDS:
        uuid = getattr(order.row, name)
        row = related.contacts.get(uuid) or related.vendors.get(uuid)
        if row is not None and getattr(data, name) in (str(row.uuid), row.public_id):
            data = msgspec.structs.replace(data, **{name: UNSET})
    return data


async def delete(db: Db, order: OrderAggregate) -> None:
    """Delete an order. An open one is canceled first, so that its events are emitted."""
    if order.row.open:
        await moves.cancel(db, order)
    await ORDERS.remove(db, order.row)
    await after_delete(db, order.row.public_id)


async def _get_config(db: Db, company: UUID, identifier: str | None, path: str) -> OrderConfig:
    config = await configs.get_config(db, company, identifier, path)
    if config.status != "active":
        message = "This order configuration is inactive. Choose another, or activate it."
        raise Invalid(fields=[FieldError(path, message)])
    return config


def _get_config_field(data: OrderIn | OrderChange) -> str:
    """Return the name of the field in which the caller sent the order configuration."""
    return "order_config" if data.order_config else "type"


async def _resolve_config_columns(
    db: Db, order: OrderAggregate, data: OrderChange
) -> dict[str, Any]:
    """Return the columns of a new configuration, allowed only before dispatch."""
    identifier = data.order_config if data.order_config is not UNSET else data.type
    if isinstance(identifier, UnsetType):
        return {}
    row = order.row
    config = await _get_config(db, row.company, identifier, _get_config_field(data))
    if config.uuid == row.order_config:
        return {}
    if row.status != flow.CREATED:
        raise IllegalMove(f"The flow of a {row.status} order cannot be changed.", ())
    _check_subflows(config, order.payload_aggregate)
    order.related.configs[config.uuid] = config.public_id
    return {
        "order_config": config.uuid,
        "flow_version": config.flow_version,
        "type": config.key,
    }


def _check_route(data: OrderIn | OrderChange, payload_aggregate: PayloadAggregate) -> None:
    """Reject a route with a single waypoint."""
    is_inline = isinstance(data.payload, PayloadChange)
    waypoints = (
        data.payload.waypoints if isinstance(data.payload, PayloadChange) else data.waypoints
    )
    if isinstance(waypoints, list) and waypoints and len(payload_aggregate.waypoints) == 1:
        path = "payload.waypoints" if is_inline else "waypoints"
        raise Invalid(fields=[FieldError(path, ONE_WAYPOINT)])


def _check_subflows(config: OrderConfig, payload_aggregate: PayloadAggregate) -> None:
    errors = [
        FieldError(
            f"waypoints[{number}].subflow",
            f"The order configuration has no stop flow {stop.subflow}.",
        )
        for number, stop in enumerate(payload_aggregate.waypoints)
        if stop.subflow is not None and stop.subflow not in config.subflows
    ]
    if errors:
        raise Invalid(fields=errors)


def _validate_columns(columns: dict[str, Any], order: Order | None = None) -> dict[str, Any]:
    """Validate changed columns together with the unchanged ones."""
    if "meta" in columns:
        columns["meta"] = parse_field("meta", fields.check_meta, columns["meta"] or {})
    if "required_skills" in columns:
        columns["required_skills"] = parse_field(
            "required_skills", skills.normalise, columns["required_skills"] or []
        )

    def get_final_value(name: str) -> Any:  # noqa: ANN401 - any column type
        return columns[name] if name in columns else getattr(order, name)

    if get_final_value("pod_required") and get_final_value("pod_method") is None:
        raise Invalid(
            fields=[FieldError("pod_method", "This field is required when a proof is required.")]
        )
    start, end = get_final_value("time_window_start"), get_final_value("time_window_end")
    if start is not None and end is not None and end < start:
        raise Invalid(
            fields=[FieldError("time_window_end", "must not be before `time_window_start`.")]
        )
    return columns


async def _resolve_partners(
    db: Db, company: UUID, related: payload_queries.PayloadRecords, data: OrderIn | OrderChange
) -> dict[str, Any]:
    """Resolve the customer and the facilitator. A customer without an id becomes a contact."""
    columns: dict[str, Any] = {}
    for name in ("customer", "facilitator"):
        partner_in = getattr(data, name)
        if isinstance(partner_in, UnsetType):
            continue
        partner = (
            None if partner_in is None else await _resolve_partner(db, company, name, partner_in)
        )
        columns |= {name: partner and partner.uuid, f"{name}_type": None}
        if name == "customer":
            columns["customer_name"] = _get_sent_name(partner_in)
        if isinstance(partner, Contact):
            columns[f"{name}_type"] = "contact"
            related.contacts[partner.uuid] = partner
        elif isinstance(partner, Vendor):
            columns[f"{name}_type"] = "vendor"
            related.vendors[partner.uuid] = partner
    return columns


async def _lock_new_people(db: Db, company: UUID, data: OrderIn | OrderChange) -> None:
    """Lock the customer and the stops' contacts together, if both may be new."""
    payload_fields = data.payload if isinstance(data.payload, PayloadChange) else data
    stops = payload_fields.waypoints if isinstance(payload_fields.waypoints, list) else []
    people = list_described_people(stop.contact for stop in stops if isinstance(stop, WaypointIn))
    customer = data.customer
    if people and isinstance(customer, OrderCustomerIn):
        key = PersonFields(customer.name, customer.phone, customer.email, customer.internal_id)
        await lock_new_people(db, company, [key, *people])


async def _resolve_partner(
    db: Db, company: UUID, name: str, partner_in: str | OrderCustomerIn
) -> Contact | Vendor:
    if isinstance(partner_in, OrderCustomerIn):
        with prefix_fields(name):
            if isinstance(partner_in.name, UnsetType):
                return await find_contact_by_email(db, company, partner_in.email or "")
            return await find_or_create_contact(db, company, _to_contact_in(partner_in))
    return await get_partner(db, company, name, partner_in)


def _get_sent_name(partner_in: str | OrderCustomerIn | None) -> str | None:
    """Return the name with which a request describes the customer."""
    if not isinstance(partner_in, OrderCustomerIn) or isinstance(partner_in.name, UnsetType):
        return None
    return partner_in.name.strip()


def _to_contact_in(person: OrderCustomerIn) -> ContactIn:
    contact_fields = msgspec.structs.asdict(person)
    for name in aliases.IDENTIFIERS:
        del contact_fields[name]
    return ContactIn(type="customer", **contact_fields)
