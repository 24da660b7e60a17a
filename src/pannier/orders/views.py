"""Spelling orders with all that they point at, a whole page at once."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.orders.configs import service as configs
from pannier.orders.models import Order, PartnerType
from pannier.orders.schemas import DriverOf, NumberOf, OrderOut, PartnerOut, VehicleOf
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.payloads import queries as payloads
from pannier.payloads.queries import PAYLOADS, OrderName


class Shown(msgspec.Struct):
    """What some orders point at."""

    payloads: payloads.Shown
    configs: Mapping[UUID, str]
    drivers: Mapping[UUID, Driver]
    vehicles: Mapping[UUID, Vehicle]
    partners: Mapping[UUID, Contact | Vendor]

    def out(self, row: Order) -> OrderOut:
        """Spell one of the orders."""
        payload = self.payloads.out(self.payloads.wholes[row.payload].payload)
        number = self.payloads.numbers[row.uuid]
        return OrderOut.of(
            row,
            order_config=self.configs[row.order_config],
            payload=payload,
            current_waypoint=payload.current_waypoint,
            customer=self._partner(row.customer, row.customer_type),
            facilitator=self._partner(row.facilitator, row.facilitator_type),
            driver_assigned=self._driver(row.driver),
            vehicle_assigned=self._vehicle(row.vehicle),
            tracking_number=NumberOf(
                id=number.public_id, uuid=number.uuid, tracking_number=number.number
            ),
        )

    def _partner(self, uuid: UUID | None, kind: PartnerType | None) -> PartnerOut | None:
        if uuid is None or kind is None:
            return None
        row = self.partners[uuid]
        return PartnerOut(
            id=row.public_id,
            uuid=row.uuid,
            name=row.name,
            email=row.email,
            phone=row.phone,
            type=kind,
        )

    def _driver(self, uuid: UUID | None) -> DriverOf | None:
        if uuid is None:
            return None
        row = self.drivers[uuid]
        return DriverOf(
            id=row.public_id, uuid=row.uuid, name=row.name, phone=row.phone, online=row.online
        )

    def _vehicle(self, uuid: UUID | None) -> VehicleOf | None:
        if uuid is None:
            return None
        row = self.vehicles[uuid]
        return VehicleOf(
            id=row.public_id,
            uuid=row.uuid,
            plate_number=row.plate_number,
            make=row.make,
            model=row.model,
        )


async def shown(db: Db, company: UUID, rows: Sequence[Order]) -> Shown:
    """Read what some orders point at; also what has left."""
    moved = await PAYLOADS.among(db, company, [row.payload for row in rows])
    return Shown(
        await payloads.shown(
            db,
            company,
            list(moved.values()),
            {row.uuid: OrderName(row.uuid, row.public_id) for row in rows},
        ),
        await configs.public_ids(db, company, {row.order_config for row in rows}),
        await DRIVERS.among(db, company, _known(row.driver for row in rows)),
        await VEHICLES.among(db, company, _known(row.vehicle for row in rows)),
        await _partners(db, company, rows),
    )


async def out(db: Db, row: Order) -> OrderOut:
    """Spell an order."""
    return (await shown(db, row.company, [row])).out(row)


async def _partners(
    db: Db, company: UUID, rows: Sequence[Order]
) -> Mapping[UUID, Contact | Vendor]:
    pairs = [
        pair
        for row in rows
        for pair in ((row.customer, row.customer_type), (row.facilitator, row.facilitator_type))
    ]
    contacts = _known(uuid for uuid, kind in pairs if kind == "contact")
    vendors = _known(uuid for uuid, kind in pairs if kind == "vendor")
    return {
        **await partners.contacts.among(db, company, contacts),
        **await partners.vendors.among(db, company, vendors),
    }


def _known(uuids: Iterable[UUID | None]) -> list[UUID]:
    return list({uuid for uuid in uuids if uuid is not None})
