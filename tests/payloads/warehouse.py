"""A company with things to send, and orders to send them with."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx

from probe import refused
from stage import Firm


@dataclass
class Warehouse:
    """Makes places, payloads, stops and items of a firm."""

    firm: Firm

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        answer = await self.firm.api.post(f"/v1/{path}", json=body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def patch(self, path: str, **body: Any) -> dict[str, Any]:
        answer = await self.tried(path, **body)
        assert answer.status_code == 200, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def tried(self, path: str, **body: Any) -> httpx.Response:
        return await self.firm.api.patch(f"/v1/{path}", json=body)

    async def get(self, path: str, **query: Any) -> Any:
        answer = await self.firm.api.get(f"/v1/{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def delete(self, path: str) -> httpx.Response:
        return await self.firm.api.delete(f"/v1/{path}")

    async def place(self, street: str = "1 Raffles Place", **more: Any) -> str:
        return str((await self.post("places", street1=street, **more))["id"])

    async def payload(self, **body: Any) -> dict[str, Any]:
        """A payload from A to B, unless told otherwise."""
        if not body.keys() & {"pickup", "waypoints"}:
            body |= {"pickup": "A Street", "dropoff": "B Street"}
        return await self.post("payloads", **body)

    async def route(self, *streets: str, **more: Any) -> dict[str, Any]:
        """A payload with a stop in each street."""
        return await self.payload(waypoints=[{"place": street} for street in streets], **more)

    async def order(self, payload: dict[str, Any], state: str = "open") -> str:
        """Place an order for a payload, and let it stand somewhere."""
        order = await self.post("orders", payload=payload["id"])
        await self.stand(payload, state)
        return str(order["id"])

    async def stand(self, payload: dict[str, Any], state: str) -> None:
        """Let a payload's order be open, under way or over."""
        async with self.firm.house.database.transaction() as db:
            await db.update("payloads", UUID(payload["uuid"]), state=state)

    async def happen(self, stop: dict[str, Any], activity: str = "enroute") -> None:
        """Let something happen at a stop."""
        async with self.firm.house.database.transaction() as db:
            await db.update("waypoints", UUID(stop["uuid"]), activity=activity)

    async def told(self) -> list[dict[str, Any]]:
        """The events so far, the oldest first."""
        rows = (await self.firm.admin.get("/int/v1/events?limit=100")).json()["data"]
        return [row["body"] for row in reversed(rows)]


def streets(payload: dict[str, Any]) -> list[str]:
    """Where the stops are, in their order."""
    return [stop["place"]["street1"] for stop in payload["waypoints"]]


def absent(answer: httpx.Response) -> list[str]:
    """List the fields that name what is not there."""
    return [field["path"] for field in refused(answer, 404, "not_found")["fields"]]
