"""Related records that `expand` inlines into orders, loaded with one query per kind for a page."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts import auth
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.db.row import SoftDeletedRow
from pannier.errors import Forbidden, UnknownValue
from pannier.fleet.drivers.queries import load_drivers_out
from pannier.fleet.drivers.schemas import DriverOut
from pannier.fleet.vehicles.queries import load_vehicles_out
from pannier.fleet.vehicles.schemas import VehicleOut
from pannier.orders.configs.schemas import OrderConfigOut
from pannier.orders.configs.service import CONFIGS
from pannier.orders.models import Order
from pannier.orders.nested_expansions import (
    NESTED_EXPANSIONS,
    RecordsByName,
    fetch_named,
    load_nested,
)
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.quotes.schemas import OrderQuoteOut
from pannier.orders.schemas import OrderDriverOut, OrderOut, OrderPartnerOut, OrderVehicleOut
from pannier.orders.views import OrderRecords
from pannier.partners.queries import load_contact_outs, load_vendor_outs
from pannier.partners.schemas import ContactOut, VendorOut
from pannier.payments.transactions.queries import TRANSACTIONS, load_transactions_out
from pannier.payments.transactions.schemas import TransactionOut
from pannier.web import field_selection
from pannier.web.exchange import Exchange
from pannier.web.field_selection import Structs
from pannier.web.former_names import FormerUse, find_deprecation
from pannier.web.validation_errors import describe_choice

Reference = UUID | str | None
# The records of a page, by the UUID or public id with which its orders refer to them.
Records = Mapping[Reference, msgspec.Struct]
Load = Callable[[Db, UUID, OrderRecords, Sequence[Order]], Awaitable[Records]]
DeletableRow = TypeVar("DeletableRow", bound=SoftDeletedRow)


class Expansion(NamedTuple):
    """A field of an order whose record can be inlined.

    `resources` are those that an API key must be able to read, and `types` those of the field.
    """

    resources: tuple[str, ...]
    types: Structs
    get_reference: Callable[[Order], Reference]
    load: Load


async def _load_drivers(
    db: Db, company: UUID, related: OrderRecords, rows: Sequence[Order]
) -> Records:
    drivers = _list_present(related.drivers, (row.driver for row in rows))
    return _index(drivers, await load_drivers_out(db, company, drivers))


async def _load_vehicles(
    db: Db, company: UUID, related: OrderRecords, rows: Sequence[Order]
) -> Records:
    vehicles = _list_present(related.vehicles, (row.vehicle for row in rows))
    return _index(vehicles, await load_vehicles_out(db, company, vehicles))


async def _load_customers(
    db: Db, company: UUID, related: OrderRecords, rows: Sequence[Order]
) -> Records:
    return await _load_partners(db, company, related, [row.customer for row in rows])


async def _load_facilitators(
    db: Db, company: UUID, related: OrderRecords, rows: Sequence[Order]
) -> Records:
    return await _load_partners(db, company, related, [row.facilitator for row in rows])


async def _load_partners(
    db: Db, company: UUID, related: OrderRecords, uuids: Sequence[UUID | None]
) -> Records:
    contacts = _list_present(related.contacts, uuids)
    vendors = _list_present(related.vendors, uuids)
    records: dict[Reference, msgspec.Struct] = {}
    if contacts:
        records |= _index(contacts, await load_contact_outs(db, company, contacts))
    if vendors:
        records |= _index(vendors, await load_vendor_outs(db, company, vendors))
    return records


async def _load_configs(db: Db, company: UUID, _: OrderRecords, rows: Sequence[Order]) -> Records:
    uuids = list({row.order_config for row in rows})
    configs = _list_present(await CONFIGS.load_many(db, company, uuids), uuids)
    return _index(configs, map(OrderConfigOut.from_row, configs))


async def _load_quotes(db: Db, company: UUID, _: OrderRecords, rows: Sequence[Order]) -> Records:
    quotes = await fetch_named(db, company, QUOTES, (row.service_quote for row in rows))
    return {row.public_id: OrderQuoteOut.from_row(row, db.now) for row in quotes}


async def _load_transactions(
    db: Db, company: UUID, _: OrderRecords, rows: Sequence[Order]
) -> Records:
    transactions = await fetch_named(db, company, TRANSACTIONS, (row.transaction for row in rows))
    if not transactions:
        return {}
    outs = await load_transactions_out(db, company, transactions)
    return {out.id: out for out in outs}


_PARTNERS: Final[Structs] = (OrderPartnerOut, ContactOut, VendorOut)
EXPANSIONS: Final[Mapping[str, Expansion]] = {
    "customer": Expansion(
        ("contacts", "vendors"), _PARTNERS, lambda row: row.customer, _load_customers
    ),
    "driver": Expansion(
        ("drivers",), (OrderDriverOut, DriverOut), lambda row: row.driver, _load_drivers
    ),
    "facilitator": Expansion(
        ("contacts", "vendors"), _PARTNERS, lambda row: row.facilitator, _load_facilitators
    ),
    "order_config": Expansion(
        ("order-configs",), (OrderConfigOut,), lambda row: row.order_config, _load_configs
    ),
    "service_quote": Expansion(
        ("service-quotes",), (OrderQuoteOut,), lambda row: row.service_quote, _load_quotes
    ),
    "transaction": Expansion(
        ("transactions",), (TransactionOut,), lambda row: row.transaction, _load_transactions
    ),
    "vehicle": Expansion(
        ("vehicles",), (OrderVehicleOut, VehicleOut), lambda row: row.vehicle, _load_vehicles
    ),
}
# The payload is always inlined, with its stops and items.
INLINE: Final = "payload"
# The replacements of former names that can be expanded.
FORMER_NAMES: Final = {
    field.encode_name: deprecation
    for field in msgspec.structs.fields(OrderOut)
    if (deprecation := find_deprecation(field.type)) and deprecation.replacement in EXPANSIONS
}


def parse_names(exchange: Exchange, values: Sequence[str]) -> list[str]:
    """Parse the names of the records to inline, and check that the caller may read them."""
    sent_names = field_selection.split_names("expand", values)
    _check_names(sent_names)
    if not isinstance(exchange.caller, FleetKey):
        raise Forbidden("Drivers cannot use `expand`. It is for API keys.")
    former_names = [name for name in map(_get_parent, sent_names) if name in FORMER_NAMES]
    exchange.former_uses += [FormerUse(FORMER_NAMES[name]) for name in former_names]
    paths = list(map(_to_present_path, sent_names))
    # The record around a nested one is inlined too, before it.
    names = [
        name for name in dict.fromkeys(sorted([*map(_get_parent, paths), *paths])) if name != INLINE
    ]
    for name in names:
        expansion = EXPANSIONS.get(name) or NESTED_EXPANSIONS[name]
        for resource in expansion.resources:
            if not auth.can_read(exchange, resource):
                raise Forbidden(
                    f"`expand={name}` needs the scope `{resource}:read`, which this API key lacks."
                )
    return names


def _get_parent(path: str) -> str:
    """Return the field of the order in a path."""
    return path.partition(".")[0]


def _to_present_path(path: str) -> str:
    """Replace the former name of an order's field in a path."""
    name, dot, rest = path.partition(".")
    present_name = FORMER_NAMES[name].replacement if name in FORMER_NAMES else name
    return f"{present_name}{dot}{rest}"


def _check_names(names: Sequence[str]) -> None:
    choices = [*sorted([*EXPANSIONS, *NESTED_EXPANSIONS]), INLINE]
    choice_errors = [
        describe_choice(f"expand[{index}]" if len(names) > 1 else "expand", name, choices)
        for index, name in enumerate(names)
        if _to_present_path(name) not in choices
    ]
    errors = [error for error in choice_errors if error is not None]
    if errors:
        raise UnknownValue(fields=errors)


async def load_records(
    db: Db, company: UUID, names: Sequence[str], related: OrderRecords, rows: Sequence[Order]
) -> tuple[dict[str, Records], dict[str, RecordsByName]]:
    """Load the records to inline into these orders, and those to inline into these records."""
    records_by_name: dict[str, Records] = {}
    nested_by_path: dict[str, RecordsByName] = {}
    for name in names:
        if name in EXPANSIONS:
            records_by_name[name] = await EXPANSIONS[name].load(db, company, related, rows)
        else:
            records = records_by_name[_get_parent(name)].values()
            nested_by_path[name] = await load_nested(db, company, name, records)
    return records_by_name, nested_by_path


def inline_records(
    row: Order,
    order_out: OrderOut,
    records_by_name: Mapping[str, Records],
    nested_by_path: Mapping[str, RecordsByName],
) -> dict[str, Any]:
    """Return the fields of an order with its records inlined.

    A short form keeps its fields and gains the others of its record: a customer has the name that
    the order gives. A deleted record stays as it is.
    """
    fields = field_selection.to_fields(order_out)
    for name, records in records_by_name.items():
        record = records.get(EXPANSIONS[name].get_reference(row))
        if record is not None:
            short_form = fields[name] if isinstance(fields[name], msgspec.Struct) else None
            fields[name] = field_selection.to_fields(record)
            fields[name] |= {} if short_form is None else field_selection.to_fields(short_form)
    for path, nested_records in nested_by_path.items():
        name, _, nested_name = path.partition(".")
        if isinstance(fields[name], dict) and fields[name].get(nested_name) in nested_records:
            fields[name][nested_name] = nested_records[fields[name][nested_name]]
    for name, deprecation in FORMER_NAMES.items():
        fields[name] = fields[deprecation.replacement]
    return fields


def list_expanded_types(names: Iterable[str]) -> dict[str, Structs]:
    """List the types of the expanded fields, by their paths with present and former names."""
    types = {name: (EXPANSIONS.get(name) or NESTED_EXPANSIONS[name]).types for name in names}
    former_types = {
        f"{former_name}{path.removeprefix(deprecation.replacement)}": path_types
        for former_name, deprecation in FORMER_NAMES.items()
        for path, path_types in types.items()
        if _get_parent(path) == deprecation.replacement
    }
    return types | former_types


def _list_present(
    rows: Mapping[UUID, DeletableRow], uuids: Iterable[UUID | None]
) -> list[DeletableRow]:
    """List the rows that are not deleted, each once: a deleted record cannot be read alone."""
    found = (rows.get(uuid) for uuid in dict.fromkeys(uuids) if uuid is not None)
    return [row for row in found if row is not None and row.deleted_at is None]


def _index(rows: Iterable[SoftDeletedRow], outs: Iterable[msgspec.Struct]) -> Records:
    return {row.uuid: out for row, out in zip(rows, outs, strict=True)}
