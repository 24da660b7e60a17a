"""A company whose vans carry devices."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx

from fleet.depot import Depot


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
        async with self.firm.house.database.transaction() as db:
            await db.execute(
                """insert into device_states (device, company, last_seen_at, status)
                   values (:device, :company, :now, 'online')
                   on conflict (device) do update set last_seen_at = excluded.last_seen_at""",
                device=UUID(device["uuid"]),
                company=self.firm.uuid,
                now=db.now,
            )

    def sending(self, device: dict[str, Any]) -> httpx.AsyncClient:
        """Come in with what a device was given."""
        return self.firm.house.client(device["token"])
