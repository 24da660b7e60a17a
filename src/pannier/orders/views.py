"""Loading of orders with all related records, a page at a time."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Final, Self
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.row import RowReference
from pannier.fleet.models import Driver, Vehicle, Whereabouts
from pannier.kit.cache import Cache
from pannier.kit.structs import convert_struct
from pannier.maps.folder import Profile
from pannier.orders.models import Order, PartnerType
from pannier.orders.schemas import (
    OrderDriverOut,
    OrderNumberOut,
    OrderOut,
    OrderPartnerOut,
    OrderVehicleOut,
)
from pannier.orders.tracking import links
from pannier.partners.models import Contact, Vendor
from pannier.payloads import queries as payloads
from pannier.payloads.models import Payload, Waypoint
from pannier.payloads.queries import PayloadAggregate, PayloadRecords
from pannier.web.serialization import to_schema


class OrderRows(payloads.PayloadRows, kw_only=True):
    """The rows related to orders, as one statement returns them."""

    configs: Sequence[RowReference] = ()
    drivers: Sequence[Driver] = ()
    vehicles: Sequence[Vehicle] = ()
    whereabouts: Sequence[Whereabouts] = ()


_QUERIES: Final = {
    "orders": payloads.ORDERS_QUERY,
    "configs": payloads.build_referenced_query(RowReference, "order_configs", ":configs"),
    "drivers": payloads.build_referenced_query(Driver, "drivers", ":drivers"),
    "vehicles": payloads.build_referenced_query(Vehicle, "vehicles", ":vehicles"),
    "whereabouts": payloads.build_referenced_query(
        Whereabouts, "whereabouts", ":drivers", column="subject"
    ),
}
# Public ids of order configurations, which never change.
_CONFIG_IDS: Final = Cache[UUID, str](10_000)


@cache
def _build_statement(*names: str) -> str:
    """Build the statement that reads payloads and the named related records."""
    return payloads.build_statement(**{name: _QUERIES[name] for name in names})


class OrderRecords(PayloadRecords, kw_only=True):
    """The payloads and related records of orders, by UUID."""

    # Builds the URL of the tracking page of a number.
    make_tracking_url: Callable[[str], str]
    configs: dict[UUID, str] = msgspec.field(default_factory=dict)
    drivers: dict[UUID, Driver] = msgspec.field(default_factory=dict)
    vehicles: dict[UUID, Vehicle] = msgspec.field(default_factory=dict)
    # By the driver's UUID.
    whereabouts: dict[UUID, Whereabouts] = msgspec.field(default_factory=dict)

    def order_out(self, row: Order) -> OrderOut:
        payload = self.payload_out(self.payloads[row.payload])
        number = self.numbers[row.uuid]
        return OrderOut.from_row(
            row,
            order_config=self.configs[row.order_config],
            payload=payload,
            current_waypoint=payload.current_waypoint,
            customer=self._partner_out(row.customer, row.customer_type, row.customer_name),
            facilitator=self._partner_out(row.facilitator, row.facilitator_type),
            driver=self._driver_out(row.driver),
            vehicle=self._vehicle_out(row.vehicle),
            tracking=number.number,
            tracking_number=to_schema(number, OrderNumberOut, tracking=number.number),
            tracking_url=self.make_tracking_url(number.number),
            cod_amount=payload.cod_amount,
            cod_currency=payload.cod_currency,
            cod_payment_method=payload.cod_payment_method,
            cash_to_collect=payload.cash_to_collect,
        )

    @classmethod
    def from_payload_records(cls, db: Db, records: PayloadRecords, **related: object) -> Self:
        """Extend the records of payloads by the other `related` records of their orders."""
        make_tracking_url = partial(links.page_url, db)
        return convert_struct(records, cls, make_tracking_url=make_tracking_url, **related)

    def partner(self, uuid: UUID | None, kind: PartnerType | None) -> Contact | Vendor | None:
        """Return the customer or facilitator of an order."""
        if uuid is None or kind is None:
            return None
        return self.contacts[uuid] if kind == "contact" else self.vendors[uuid]

    def _partner_out(
        self, uuid: UUID | None, kind: PartnerType | None, sent_name: str | None = None
    ) -> OrderPartnerOut | None:
        row = self.partner(uuid, kind)
        if row is None or kind is None:
            return None
        return to_schema(row, OrderPartnerOut, type=kind, name=sent_name or row.name)

    def _driver_out(self, uuid: UUID | None) -> OrderDriverOut | None:
        return None if uuid is None else to_schema(self.drivers[uuid], OrderDriverOut)

    def _vehicle_out(self, uuid: UUID | None) -> OrderVehicleOut | None:
        return None if uuid is None else to_schema(self.vehicles[uuid], OrderVehicleOut)


class OrderAggregate(msgspec.Struct):
    """An order with its payload and related records. Every write keeps them up to date."""

    row: Order
    related: OrderRecords

    @classmethod
    async def load(cls, db: Db, row: Order) -> Self:
        """Load an order's payload and related records. Lock the order before changing any of it."""
        return cls(row, await load_related(db, row.company, [row]))

    @property
    def payload_aggregate(self) -> PayloadAggregate:
        """The payload with its stops and items."""
        return self.related.payload_aggregates[self.row.payload]

    @property
    def profile(self) -> Profile:
        """The routing profile of the order's vehicle."""
        return (
            "car" if self.row.vehicle is None else self.related.vehicles[self.row.vehicle].profile
        )

    def put(self, payload: Payload, stops: list[Waypoint]) -> None:
        """Replace the payload and its stops with their saved versions."""
        self.related.put(PayloadAggregate(payload, stops, self.payload_aggregate.entities))

    def to_order_out(self) -> OrderOut:
        return self.related.order_out(self.row)


async def load_related(
    db: Db, company: UUID, rows: Sequence[Order], other_payloads: Iterable[UUID] = ()
) -> OrderRecords:
    """Load all records related to orders and to `other_payloads` in one statement.

    Deleted records are included, because history refers to them.
    """
    config_ids = {row.order_config: _CONFIG_IDS.find(row.order_config) for row in rows}
    other_payloads = list(other_payloads)
    uuids_by_name: dict[str, Sequence[UUID]] = {
        # The payloads of these orders refer to no other orders.
        "orders": other_payloads,
        "configs": [uuid for uuid, name in config_ids.items() if name is None],
        "drivers": [row.driver for row in rows if row.driver is not None],
        "vehicles": [row.vehicle for row in rows if row.vehicle is not None],
    }
    uuids_by_name["whereabouts"] = uuids_by_name["drivers"]
    text = await db.fetch_value(
        _build_statement(*(name for name, uuids in uuids_by_name.items() if uuids)),
        company=company,
        payloads=[*(row.payload for row in rows), *other_payloads],
        contacts=_list_partner_uuids(rows, "contact"),
        vendors=_list_partner_uuids(rows, "vendor"),
        **uuids_by_name,
    )
    order_rows = msgspec.json.decode(text, type=OrderRows)
    for config in order_rows.configs:
        _CONFIG_IDS.store(config.uuid, config.public_id)
        config_ids[config.uuid] = config.public_id
    # A deleted driver has no position, even if one arrives late.
    active_drivers = {driver.uuid for driver in order_rows.drivers if driver.deleted_at is None}
    related = OrderRecords.from_payload_records(
        db,
        PayloadRecords.from_rows(order_rows),
        configs={uuid: name for uuid, name in config_ids.items() if name is not None},
        drivers=payloads.index_by_uuid(order_rows.drivers),
        vehicles=payloads.index_by_uuid(order_rows.vehicles),
        whereabouts={
            row.subject: row for row in order_rows.whereabouts if row.subject in active_drivers
        },
    )
    related.orders |= {row.uuid: RowReference(row.uuid, row.public_id) for row in rows}
    return related


def _list_partner_uuids(rows: Sequence[Order], kind: PartnerType) -> list[UUID]:
    pairs = [
        pair
        for row in rows
        for pair in ((row.customer, row.customer_type), (row.facilitator, row.facilitator_type))
    ]
    return [uuid for uuid, type_ in pairs if uuid is not None and type_ == kind]
