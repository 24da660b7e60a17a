"""Loading orders with all related records, a page at a time."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Self
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.row import Named
from pannier.fleet.models import Driver, Vehicle, Whereabouts
from pannier.kit.cache import Cache
from pannier.orders.models import Order, PartnerType
from pannier.orders.schemas import DriverOf, NumberOf, OrderOut, PartnerOut, VehicleOf
from pannier.partners.models import Contact, Vendor
from pannier.payloads import queries as payloads
from pannier.payloads.models import Payload, Waypoint
from pannier.payloads.queries import Whole
from pannier.web.spelling import spelled


class Read(payloads.Read, kw_only=True):
    """The rows related to orders, as one statement returns them."""

    configs: Sequence[Named] = ()
    drivers: Sequence[Driver] = ()
    vehicles: Sequence[Vehicle] = ()
    whereabouts: Sequence[Whereabouts] = ()


_QUERIES: Final = {
    "orders": payloads.THEIR_ORDERS,
    "configs": payloads.among(Named, "order_configs", ":configs"),
    "drivers": payloads.among(Driver, "drivers", ":drivers"),
    "vehicles": payloads.among(Vehicle, "vehicles", ":vehicles"),
    "whereabouts": payloads.among(Whereabouts, "whereabouts", ":drivers", by="subject"),
}
# Public ids of order configurations, which never change.
_CONFIG_IDS: Final = Cache[UUID, str](10_000)


@cache
def _reading(*names: str) -> str:
    """Build the statement that reads payloads and the named related records."""
    return payloads.reading(**{name: _QUERIES[name] for name in names})


class Shown(payloads.Shown, kw_only=True):
    """The payloads and related records of orders, by UUID."""

    configs: dict[UUID, str] = msgspec.field(default_factory=dict)
    drivers: dict[UUID, Driver] = msgspec.field(default_factory=dict)
    vehicles: dict[UUID, Vehicle] = msgspec.field(default_factory=dict)
    # By driver.
    whereabouts: dict[UUID, Whereabouts] = msgspec.field(default_factory=dict)

    def order(self, row: Order) -> OrderOut:
        payload = self.out(self.payloads[row.payload])
        number = self.numbers[row.uuid]
        return OrderOut.of(
            row,
            order_config=self.configs[row.order_config],
            payload=payload,
            current_waypoint=payload.current_waypoint,
            customer=self._partner_out(row.customer, row.customer_type),
            facilitator=self._partner_out(row.facilitator, row.facilitator_type),
            driver_assigned=self._driver(row.driver),
            vehicle_assigned=self._vehicle(row.vehicle),
            tracking_number=spelled(number, NumberOf, tracking_number=number.number),
        )

    def partner(self, uuid: UUID | None, kind: PartnerType | None) -> Contact | Vendor | None:
        """Return the customer or facilitator of an order."""
        if uuid is None or kind is None:
            return None
        return self.contacts[uuid] if kind == "contact" else self.vendors[uuid]

    def _partner_out(self, uuid: UUID | None, kind: PartnerType | None) -> PartnerOut | None:
        row = self.partner(uuid, kind)
        if row is None or kind is None:
            return None
        return spelled(row, PartnerOut, type=kind)

    def _driver(self, uuid: UUID | None) -> DriverOf | None:
        return None if uuid is None else spelled(self.drivers[uuid], DriverOf)

    def _vehicle(self, uuid: UUID | None) -> VehicleOf | None:
        return None if uuid is None else spelled(self.vehicles[uuid], VehicleOf)


class Aggregate(msgspec.Struct):
    """An order with its payload and related records. Every write keeps them up to date."""

    order: Order
    shown: Shown

    @classmethod
    async def of(cls, db: Db, order: Order) -> Self:
        """Load an order's payload and related records. Lock the order before changing any of it."""
        return cls(order, await shown(db, order.company, [order]))

    @property
    def whole(self) -> Whole:
        """The payload with its stops and items."""
        return self.shown.wholes[self.order.payload]

    def put(self, payload: Payload, stops: list[Waypoint]) -> None:
        """Replace the payload and its stops with their saved versions."""
        self.shown.put(Whole(payload, stops, self.whole.entities))

    def out(self) -> OrderOut:
        return self.shown.order(self.order)


async def shown(db: Db, company: UUID, rows: Sequence[Order], others: Iterable[UUID] = ()) -> Shown:
    """Load all records related to orders, and `others` payloads, in one statement.

    Deleted records are included, because history refers to them.
    """
    names = {row.order_config: _CONFIG_IDS.find(row.order_config) for row in rows}
    others = list(others)
    wanted: dict[str, Sequence[UUID]] = {
        # The payloads of these orders refer to no other orders.
        "orders": others,
        "configs": [uuid for uuid, name in names.items() if name is None],
        "drivers": [row.driver for row in rows if row.driver is not None],
        "vehicles": [row.vehicle for row in rows if row.vehicle is not None],
    }
    wanted["whereabouts"] = wanted["drivers"]
    text = await db.value(
        _reading(*(name for name, uuids in wanted.items() if uuids)),
        company=company,
        payloads=[*(row.payload for row in rows), *others],
        contacts=_partners(rows, "contact"),
        vendors=_partners(rows, "vendor"),
        **wanted,
    )
    found = msgspec.json.decode(text, type=Read)
    for config in found.configs:
        _CONFIG_IDS.store(config.uuid, config.public_id)
        names[config.uuid] = config.public_id
    # A deleted driver has no position, even if a late one came in.
    present = {driver.uuid for driver in found.drivers if driver.deleted_at is None}
    related = Shown.of(found)
    related.orders |= {row.uuid: Named(row.uuid, row.public_id) for row in rows}
    related.configs = {uuid: name for uuid, name in names.items() if name is not None}
    related.drivers = payloads.by_uuid(found.drivers)
    related.vehicles = payloads.by_uuid(found.vehicles)
    related.whereabouts = {row.subject: row for row in found.whereabouts if row.subject in present}
    return related


def _partners(rows: Sequence[Order], kind: PartnerType) -> list[UUID]:
    pairs = [
        pair
        for row in rows
        for pair in ((row.customer, row.customer_type), (row.facilitator, row.facilitator_type))
    ]
    return [uuid for uuid, type_ in pairs if uuid is not None and type_ == kind]
