"""Public ids for events: of the device by its number, of the vehicle by the time."""

from collections.abc import Iterable, Sequence
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.devices import spans
from pannier.devices.events.schemas import DeviceEventOut
from pannier.devices.models import DeviceEventRow
from pannier.devices.spans import Span
from pannier.fleet.queries import VEHICLES, load_public_ids


class _DeviceIdRow(msgspec.Struct):
    number: int
    public_id: str


class PublicIdCache:
    """A cache of device ids and vehicle spans, loaded once per device."""

    def __init__(self, company: UUID) -> None:
        self._company = company
        self._devices: dict[int, str] = {}
        self._spans: dict[int, list[Span]] = {}
        self._vehicles: dict[UUID, str] = {}

    async def load(self, db: Db, numbers: Iterable[int]) -> None:
        """Load the devices that are not cached yet."""
        uncached_numbers = list(set(numbers) - self._devices.keys())
        if not uncached_numbers:
            return
        rows = await db.fetch_all(
            _DeviceIdRow,
            """select number, public_id from devices
               where company = :company and number = any(:numbers)""",
            company=self._company,
            numbers=uncached_numbers,
        )
        self._devices |= {row.number: row.public_id for row in rows}
        spans_by_device = await spans.list_spans_by_device(db, self._company, uncached_numbers)
        self._spans |= spans_by_device
        vehicles = {
            span.vehicle for device_spans in spans_by_device.values() for span in device_spans
        }
        uncached_vehicles = vehicles - self._vehicles.keys()
        self._vehicles |= await load_public_ids(db, self._company, VEHICLES, uncached_vehicles)

    def get_device_id(self, number: int) -> str:
        return self._devices[number]

    def to_out(self, row: DeviceEventRow) -> DeviceEventOut:
        vehicle_uuid = spans.find_vehicle_at(self._spans.get(row.device_no, ()), row.occurred_at)
        vehicle = None if vehicle_uuid is None else self._vehicles.get(vehicle_uuid)
        return DeviceEventOut.from_row(row, self._devices[row.device_no], vehicle)

    async def load_out(self, db: Db, rows: Sequence[DeviceEventRow]) -> list[DeviceEventOut]:
        await self.load(db, (row.device_no for row in rows))
        return [self.to_out(row) for row in rows]
