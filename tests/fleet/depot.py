"""A company with people and vans, and an ear for what is told."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from stage import Firm


@dataclass
class Depot:
    """Makes drivers, vehicles, fleets, issues and orders of a firm, and hears its events."""

    firm: Firm
    numbers: count = field(default_factory=lambda: count(1))  # type: ignore[type-arg]  # of integers

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        answer = await self.firm.api.post(f"/v1/{path}", json=body)
        assert answer.is_success, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def patch(self, path: str, **body: Any) -> dict[str, Any]:
        answer = await self.firm.api.patch(f"/v1/{path}", json=body)
        assert answer.status_code == 200, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def get(self, path: str) -> Any:
        answer = await self.firm.api.get(f"/v1/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def driver(self, **more: Any) -> dict[str, Any]:
        body = {"name": "Ada", "phone": f"+65912345{next(self.numbers):02}", **more}
        return await self.post("drivers", **body)

    async def vehicle(self, **more: Any) -> dict[str, Any]:
        return await self.post("vehicles", **{"plate_number": "SGX 1", **more})

    async def fleet(self, **more: Any) -> dict[str, Any]:
        return await self.post("fleets", **{"name": "Night riders", **more})

    async def issue(self, **more: Any) -> dict[str, Any]:
        return await self.post("issues", **{"report": "A flat tyre.", **more})

    async def order(self, **more: Any) -> dict[str, Any]:
        body = {"pickup": "1 Raffles Place", "dropoff": "80 Mandai Lake Road", **more}
        return await self.post("orders", **body)

    async def told(self, *names: str) -> list[dict[str, Any]]:
        """The events so far, the oldest first; only these, when names are given."""
        query = "&".join(f"event={name}" for name in names)
        rows = (await self.firm.admin.get(f"/int/v1/events?limit=100&{query}")).json()["data"]
        return [row["body"] for row in reversed(rows)]

    async def names(self) -> list[str]:
        return [body["event"] for body in await self.told()]
