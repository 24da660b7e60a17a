"""A company with a day of deliveries in Singapore, and a planner that plans it."""

import asyncio
from typing import Any

from orders.shop import Shop
from pannier.planning.runner import PlanRunner
from pannier.routing.configuration import create_router
from stage import House

DEPOT = {"name": "Depot", "street1": "1 Raffles Place", "latitude": 1.284, "longitude": 103.851}
# The clock of the tests begins on Thursday, 15 January 2026, at 12:00 UTC.
TOMORROW = "2026-01-16"
FRIDAYS = [{"days": ["fri"], "start": "08:00", "end": "18:00"}]


def at(clock: str, day: str = TOMORROW) -> str:
    return f"{day}T{clock}:00Z"


def place(number: int) -> dict[str, Any]:
    """A place some kilometres from the depot, each in another direction."""
    return {
        "street1": f"{number} Orchard Road",
        "latitude": 1.284 + 0.01 * (number % 5),
        "longitude": 103.851 + 0.01 * (number // 5) - 0.02,
    }


class Yard(Shop):
    """A shop with orders to plan."""

    async def deliveries(self, count: int, **more: Any) -> list[dict[str, Any]]:
        """Place orders from the depot, to be dispatched tomorrow."""
        depot = await self.post("places", **DEPOT)
        return [
            await self.order(
                pickup=depot["id"],
                dropoff=place(number),
                entities=[{"name": "Box", "weight": 10}],
                scheduled_at=at("08:00"),
                **more,
            )
            for number in range(count)
        ]

    async def drivers(self, count: int, **more: Any) -> list[dict[str, Any]]:
        return [
            await self.driver(name=f"Driver {number}", shifts=FRIDAYS, **more)
            for number in range(count)
        ]

    async def plan(self, **more: Any) -> dict[str, Any]:
        """Request a plan of tomorrow."""
        return await self.post("plans", **{"day": TOMORROW, "max_seconds": 1, **more})

    async def done(self, house: House, **more: Any) -> dict[str, Any]:
        """Request a plan and make it."""
        plan = await self.plan(**more)
        assert await runner(house).step()
        return await self.get(f"plans/{plan['id']}")

    async def assign(self, order: dict[str, Any], driver: dict[str, Any]) -> None:
        await self.act(order, "assign-driver", driver=driver["id"])


def runner(house: House, stop: asyncio.Event | None = None) -> PlanRunner:
    """The planner of a worker."""
    router, memory = (
        create_router(house.settings, house.database.clock),
        house.settings.planner_memory,
    )
    return PlanRunner(house.database, router, memory_mebibytes=memory, stop=stop)
