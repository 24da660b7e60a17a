"""A company whose vans carry devices."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx

from devices.gear import flush, position
from fleet.depot import Depot
from pannier.devices.outcomes import Submission
from pannier.devices.sources import Source


@dataclass
class Garage(Depot):
    """Makes devices beside drivers and vehicles, and knows what they show at the door."""

    async def device(self, **more: Any) -> dict[str, Any]:
        """Take a device in; the answer has its `token`."""
        return await self.post("devices", **{"name": "Tracker", **more})

    async def number(self, device: dict[str, Any]) -> int:
        """What its events are kept under."""
        sql = "select number from devices where uuid = :uuid"
        return int(await self.firm.house.value(sql, uuid=UUID(device["uuid"])))

    async def seen(self, device: dict[str, Any]) -> None:
        """Have a device be heard of just now."""
        own = Source(self.firm.uuid, UUID(device["uuid"]), None, speaks_for_all=False, adopts=False)
        house = self.firm.house
        await flush(house, Submission(own, [position(1, house.clock.now())]))

    def sending(self, device: dict[str, Any]) -> httpx.AsyncClient:
        """Come in with what a device was given."""
        return self.firm.house.client(device["token"])
