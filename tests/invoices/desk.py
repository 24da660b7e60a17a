"""A company that invoices its customers."""

from dataclasses import dataclass
from typing import Any, Final

import httpx

from stage import Firm

TAXED: Final = {"kind": "other", "description": "Delivery", "amount": 1240, "tax_rate": 24}


@dataclass
class Desk:
    """Places and charges orders, takes payments, and writes invoices through the API."""

    firm: Firm

    async def post(self, path: str, status: int = 200, **body: Any) -> dict[str, Any]:
        answer = await self.firm.api.post(f"/v1/{path}", json=body)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def get(self, path: str) -> Any:
        answer = await self.firm.api.get(f"/v1/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def customer(self, name: str = "Ada Lovelace", **more: Any) -> str:
        place = await self.post(
            "places", 201, street1="12 Market Street", city="Helsinki", postal_code="00100",
            country="FI",
        )  # fmt: skip
        fields = {"tax_number": "FI12345671", "email": "ada@example.com", "place": place["id"]}
        identifier: str = (await self.post("contacts", 201, name=name, **fields | more))["id"]
        return identifier

    async def order(self, customer: str) -> str:
        """Place an order that has no price."""
        order = await self.post(
            "orders", 201, pickup="1 Paid Road", dropoff="2 Paid Road", customer=customer
        )
        identifier: str = order["id"]
        return identifier

    async def charge(self, order: str, **more: Any) -> dict[str, Any]:
        return await self.post(f"orders/{order}/charges", 201, **TAXED | more)

    async def charged(self, customer: str, **more: Any) -> str:
        """Place an order that is charged."""
        order = await self.order(customer)
        await self.charge(order, **more)
        return order

    async def transaction(self, order: str) -> dict[str, Any]:
        """Read the newest transaction of an order."""
        found: dict[str, Any] = (await self.get(f"transactions?order={order}"))[0]
        return found

    async def pay(self, order: str, **more: Any) -> dict[str, Any]:
        name = (await self.transaction(order))["id"]
        return await self.post(f"transactions/{name}/payments", 201, method="transfer", **more)

    async def refund(self, order: str, **more: Any) -> dict[str, Any]:
        name = (await self.transaction(order))["id"]
        return await self.post(f"transactions/{name}/refund", **more)

    async def void(self, order: str) -> httpx.Response:
        name = (await self.transaction(order))["id"]
        return await self.firm.admin.post(f"/int/v1/transactions/{name}/void", json={})

    async def draft(self, customer: str, **more: Any) -> dict[str, Any]:
        return await self.post("invoices", 201, customer=customer, **more)

    async def issue(self, draft: dict[str, Any]) -> dict[str, Any]:
        return await self.post(f"invoices/{draft['id']}/issue")

    async def issued(self, customer: str, **more: Any) -> dict[str, Any]:
        return await self.issue(await self.draft(customer, **more))

    async def read(self, invoice: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = await self.get(f"invoices/{invoice['id']}")
        return found

    async def configure(self, **settings: Any) -> None:
        answer = await self.firm.admin.patch("/int/v1/settings", json=settings)
        assert answer.status_code == 200, answer.text
