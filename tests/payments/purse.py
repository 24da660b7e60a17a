"""Somebody who owes something for an order, and what can be done about it."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import httpx

from pannier.db import Database
from pannier.db.row import RowReference
from pannier.payments import checkouts, sweep
from pannier.payments.gateway import Gateway
from pannier.payments.transactions import service
from pannier.payments.transactions.models import ChargeLine, Transaction
from stage import Firm

LINES: Final = (
    ChargeLine(code="BASE_FEE", details="Base fee", amount=500),
    ChargeLine(code="DISTANCE_FEE", details="9.321 km at 0.80", amount=746),
    ChargeLine(code="MAXIMUM_ADJUSTMENT", details="Maximum", amount=-46),
)
AMOUNT: Final = 1200
BACK: Final = "https://shop.example.com/thanks?basket=7"


@dataclass
class Purse:
    """Opens transactions as an acceptance does, and settles them as a payer and a worker do."""

    firm: Firm

    @property
    def database(self) -> Database:
        return self.firm.house.database

    @property
    def gateway(self) -> Gateway:
        gateway: Gateway = self.firm.house.edge.services["gateway"]
        return gateway

    async def order(self) -> RowReference:
        made = (
            await self.firm.api.post(
                "/v1/orders", json={"pickup": "1 Paid Road", "dropoff": "2 Paid Road"}
            )
        ).json()
        return RowReference(UUID(made["uuid"]), made["id"])

    async def owe(
        self, lines: tuple[ChargeLine, ...] = LINES, currency: str = "SGD", **more: Any
    ) -> Transaction:
        """Write down what is owed; the gateway has not heard of it."""
        async with self.database.transaction() as db:
            return await service.open_transaction(
                db,
                self.firm.uuid,
                lines=lines,
                currency=currency,
                gateway=self.gateway,
                return_url=more.pop("return_url", BACK),
                **more,
            )

    async def offered(self, **more: Any) -> dict[str, Any]:
        """Write down what is owed, and get the page to pay it on."""
        row = await self.owe(**more)
        await checkouts.open_requested_page(self.database, self.gateway, row)
        return await self.read(row.public_id)

    async def read(self, identifier: str) -> dict[str, Any]:
        answer = await self.firm.api.get(f"/v1/transactions/{identifier}")
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    async def work(self) -> None:
        """Let the worker do what is due."""
        while await sweep.step(self.database, self.gateway):
            pass

    async def void(self, identifier: str, **body: Any) -> httpx.Response:
        return await self.firm.admin.post(f"/int/v1/transactions/{identifier}/void", json=body)

    async def refund(self, identifier: str, **body: Any) -> httpx.Response:
        return await self.firm.admin.post(f"/int/v1/transactions/{identifier}/refund", json=body)

    async def pay(self, told: dict[str, Any]) -> httpx.Response:
        """Press the button on the fake gateway's page."""
        path = told["checkout_url"].removeprefix("http://127.0.0.1:8000")
        return await self.firm.house.client().post(f"{path}/pay")


async def opened(answer: httpx.Response) -> dict[str, Any]:
    """Check that an answer is a success, and open it."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body
