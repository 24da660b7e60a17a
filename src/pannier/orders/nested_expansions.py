"""Records within the records that `expand` inlines, such as the vehicle of an order's driver.

Each is loaded with one query for a whole page, by the public ids in the records around it.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from pannier.db import Db, Table, columns
from pannier.db.row import PublicRow
from pannier.fleet.drivers.queries import load_drivers_out
from pannier.fleet.drivers.schemas import DriverOut
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.vehicles.queries import load_vehicles_out
from pannier.fleet.vehicles.schemas import VehicleOut
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.quotes.schemas import OrderQuoteOut
from pannier.partners.queries import contacts, load_contact_outs, load_vendor_outs, vendors
from pannier.partners.schemas import ContactOut, VendorOut
from pannier.payments.transactions.queries import TRANSACTIONS, load_transactions_out
from pannier.payments.transactions.schemas import TransactionOut
from pannier.places.models import PlaceRow
from pannier.places.queries import places
from pannier.places.schemas import PlaceOut
from pannier.rates.queries import RATES, load_rates_out
from pannier.rates.schemas import ServiceRateOut
from pannier.web.field_selection import Structs

RecordsByName = Mapping[str, msgspec.Struct]
Load = Callable[[Db, UUID, Sequence[str]], Awaitable[RecordsByName]]
Row = TypeVar("Row", bound=msgspec.Struct)
ResourceRow = TypeVar("ResourceRow", bound=PublicRow)


class NestedExpansion(NamedTuple):
    """A field of an inlined record whose own record can be inlined.

    `resources` are those that an API key must be able to read, and `types` those of the field.
    """

    resources: tuple[str, ...]
    types: Structs
    load: Load


async def fetch_named(
    db: Db, company: UUID, table: Table[Row], public_ids: Iterable[str | None]
) -> list[Row]:
    """Fetch the rows with these public ids that are not deleted."""
    names = [name for name in dict.fromkeys(public_ids) if name is not None]
    if not names:
        return []
    where = table.where(company).add_public_ids(names)
    sql = f"select {columns(table.row)} from {table.name} {where}"
    return await db.fetch_all(table.row, sql, **where.values)


def _make_loader(
    table: Table[ResourceRow],
    to_outs: Callable[[Db, UUID, Sequence[ResourceRow]], Awaitable[Sequence[msgspec.Struct]]],
) -> Load:
    async def load(db: Db, company: UUID, public_ids: Sequence[str]) -> RecordsByName:
        rows = await fetch_named(db, company, table, public_ids)
        outs = await to_outs(db, company, rows) if rows else []
        return {row.public_id: out for row, out in zip(rows, outs, strict=True)}

    return load


async def _to_quote_outs(db: Db, _: UUID, rows: Sequence[ServiceQuote]) -> list[OrderQuoteOut]:
    return [OrderQuoteOut.from_row(row, db.now) for row in rows]


async def _to_place_outs(_: Db, __: UUID, rows: Sequence[PlaceRow]) -> list[PlaceOut]:
    return [PlaceOut.from_row(row) for row in rows]


_load_contacts: Final = _make_loader(contacts, load_contact_outs)
_load_vendors: Final = _make_loader(vendors, load_vendor_outs)


async def _load_partners(db: Db, company: UUID, public_ids: Sequence[str]) -> RecordsByName:
    return {
        **await _load_contacts(db, company, public_ids),
        **await _load_vendors(db, company, public_ids),
    }


_PARTNERS: Final = NestedExpansion(("contacts", "vendors"), (ContactOut, VendorOut), _load_partners)
_PLACE: Final = NestedExpansion(("places",), (PlaceOut,), _make_loader(places, _to_place_outs))
_RATE: Final = NestedExpansion(
    ("service-rates",), (ServiceRateOut,), _make_loader(RATES, load_rates_out)
)
_TRANSACTION: Final = NestedExpansion(
    ("transactions",), (TransactionOut,), _make_loader(TRANSACTIONS, load_transactions_out)
)
NESTED_EXPANSIONS: Final[Mapping[str, NestedExpansion]] = {
    "customer.default_service": _RATE,
    "customer.place": _PLACE,
    "driver.end_place": _PLACE,
    "driver.start_place": _PLACE,
    "driver.vehicle": NestedExpansion(
        ("vehicles",), (VehicleOut,), _make_loader(VEHICLES, load_vehicles_out)
    ),
    "facilitator.default_service": _RATE,
    "facilitator.place": _PLACE,
    "service_quote.service_rate": _RATE,
    "service_quote.transaction": _TRANSACTION,
    "transaction.customer": _PARTNERS,
    "transaction.service_quote": NestedExpansion(
        ("service-quotes",), (OrderQuoteOut,), _make_loader(QUOTES, _to_quote_outs)
    ),
    "vehicle.driver": NestedExpansion(
        ("drivers",), (DriverOut,), _make_loader(DRIVERS, load_drivers_out)
    ),
}


async def load_nested(
    db: Db, company: UUID, path: str, records: Iterable[msgspec.Struct]
) -> RecordsByName:
    """Load the records that a field of these records refers to."""
    _, _, name = path.partition(".")
    public_ids = {getattr(record, name, None) for record in records}
    return await NESTED_EXPANSIONS[path].load(db, company, sorted(filter(None, public_ids)))
