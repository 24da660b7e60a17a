"""A courier: a shop whose drivers prove what they hand over."""

from typing import Any

import httpx

from orders.shop import Shop
from proofs import drawn

HANDOVER = {"code": "handed_over", "status": "Handed over", "complete": True}


class Courier(Shop):
    """Captures proofs of orders."""

    async def careful(self, method: str, scope: str = "order", **more: Any) -> dict[str, Any]:
        """Start an order whose hand-over needs a proof."""
        key = f"{method}-{scope}"
        demand = {"require_pod": True, "pod_method": method, "pod_scope": scope}
        known = await self.get(f"order-configs?key={key}")
        if not known:
            await self.config({**HANDOVER, **demand}, key=key)
        return await self.started(type=key, **more)

    async def send(
        self, order: dict[str, Any], action: str, subject: str | None = None, **body: Any
    ) -> httpx.Response:
        """Send a capture, as JSON."""
        path = f"/v1/orders/{order['id']}/{action}" + (f"/{subject}" if subject else "")
        return await self.firm.api.post(path, json=body)

    async def captured(
        self, order: dict[str, Any], action: str, subject: str | None = None, **body: Any
    ) -> dict[str, Any]:
        """Send a capture that is taken."""
        answer = await self.send(order, action, subject, **body)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def signed(
        self, order: dict[str, Any], subject: str | None = None, **more: Any
    ) -> dict[str, Any]:
        body = {"signature": drawn.text(drawn.signature()), **more}
        return await self.captured(order, "capture-signature", subject, **body)

    async def photographed(
        self, order: dict[str, Any], subject: str | None = None, **more: Any
    ) -> dict[str, Any]:
        body = {"photo": drawn.text(drawn.photo()), **more}
        return await self.captured(order, "capture-photo", subject, **body)

    async def scanned(
        self, order: dict[str, Any], subject: str | None = None, code: str = "4006381333931"
    ) -> dict[str, Any]:
        return await self.captured(order, "capture-qr", subject, code=code)

    async def hand_over(self, order: dict[str, Any]) -> httpx.Response:
        """Try to complete the order, or its present stop."""
        return await self.attempt(order, "update-activity", activity="handed_over")

    async def texted(self) -> str:
        """Read the code that was sent last, as its recipient does."""
        text: str = await self.firm.house.value(
            "select body from messages order by created_at desc, uuid desc limit 1"
        )
        return text[:6]
