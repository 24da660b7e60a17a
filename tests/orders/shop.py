"""A company that has things delivered."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx

from fleet.depot import Depot
from stage import House

# Signs a driver in, as the driver's application does.
Phone = Callable[[dict[str, Any]], Awaitable[httpx.AsyncClient]]
RAFFLES = {
    "street1": "1 Raffles Place",
    "city": "Singapore",
    "latitude": 1.284,
    "longitude": 103.851,
}
MANDAI = {
    "street1": "80 Mandai Lake Road",
    "city": "Singapore",
    "latitude": 1.404,
    "longitude": 103.79,
}
CHANGI = {
    "street1": "60 Airport Boulevard",
    "city": "Singapore",
    "latitude": 1.357,
    "longitude": 103.988,
}
DELIVERED = [{"code": "delivered", "status": "Delivered", "complete": True}]


class Shop(Depot):
    """A depot that places orders and moves them."""

    async def order(self, **more: Any) -> dict[str, Any]:
        """Place an order from Raffles Place to Mandai."""
        parts = (
            {} if {"payload", "waypoints"} & more.keys() else {"pickup": RAFFLES, "dropoff": MANDAI}
        )
        return await self.post("orders", **{**parts, **more})

    async def ready(self, **more: Any) -> dict[str, Any]:
        """Place an order that has a driver."""
        driver = await self.driver()
        return await self.order(driver=driver["id"], **more)

    async def started(self, **more: Any) -> dict[str, Any]:
        """Place an order whose driver is on the way."""
        order = await self.ready(**more)
        return await self.post(f"orders/{order['id']}/start", skip_dispatch=True)

    async def config(self, *flow: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Save a flow."""
        return await self.post("order-configs", name="Special", flow=list(flow), **more)

    async def plain_type(self) -> str:
        """Return the type of orders without steps at the pickup: once started, they are loaded."""
        flow = [{"code": "enroute", "next": ["completed"]}, {"code": "completed", "complete": True}]
        config = {"name": "Plain", "key": "plain", "flow": flow}
        answer = await self.firm.api.post("/v1/order-configs", json=config)
        assert answer.status_code in {201, 409}, answer.text
        return "plain"

    async def act(self, order: dict[str, Any], action: str, **body: Any) -> dict[str, Any]:
        """Let something happen to an order that is allowed."""
        return await self.post(f"orders/{order['id']}/{action}", **body)

    async def attempt(self, order: dict[str, Any], action: str, **body: Any) -> httpx.Response:
        """Try something that may be refused."""
        return await self.firm.api.post(f"/v1/orders/{order['id']}/{action}", json=body)

    async def fire(self, order: dict[str, Any], code: str, **body: Any) -> dict[str, Any]:
        """Let an activity happen."""
        return await self.act(order, "update-activity", activity=code, **body)

    async def upcoming(self, order: dict[str, Any], query: str = "") -> list[str]:
        """Name what may happen next."""
        rows = await self.get(f"orders/{order['id']}/next-activity?{query}")
        return [row["code"] for row in rows]


@asynccontextmanager
async def statements(house: House) -> AsyncIterator[list[str]]:
    """Hear what the database is asked."""
    heard: list[str] = []
    connections = house.database.connections
    # The warmest connection is lent next, so that whatever comes one by one will use this one.
    connection = await connections.acquire()
    with connection.query_logger(lambda record: heard.append(record.query)):
        connections.release(connection)
        yield heard
        await asyncio.sleep(0)  # The last ones are told in the loop's next turn.
