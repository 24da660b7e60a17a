"""A shop's till: customers who want to save a card."""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

import httpx

from pannier.app import build_litestar
from pannier.payments.gateway import Gateway
from pannier.web.edge import Edge
from pannier.web.limits import RateLimiter
from stage import Firm, House

HERE: Final = "/storefront/v1/customers"
KEY: Final = f"{HERE}/payment-ephemeral-key"
INTENT: Final = f"{HERE}/payment-setup-intent"
NEWEST: Final = "select body from messages order by created_at desc, uuid desc limit 1"


def equipped(house: House, gateway: Gateway) -> House:
    """Build a house that shares the other's database, with this gateway."""
    edge = Edge(
        build_litestar(),
        database=house.database,
        settings=house.settings,
        limiter=RateLimiter(None, slots=1024),
        services={**house.edge.services, "gateway": gateway},
    )
    return replace(house, edge=edge)


@dataclass
class Till:
    """A storefront whose customers come in through the door."""

    firm: Firm
    numbers: count = field(default_factory=lambda: count(1))  # type: ignore[type-arg]  # of integers

    async def visitor(self) -> tuple[dict[str, Any], httpx.AsyncClient]:
        """Register somebody, and come in as them."""
        house, phone = self.firm.house, f"+6598{next(self.numbers):06}"
        client = self.firm.storefront
        sent = await client.post(f"{HERE}/request-creation-code", json={"phone": phone})
        assert sent.status_code == 200, sent.text
        text = await house.value(NEWEST)
        body = {"name": "Ada", "phone": phone, "code": text[:6]}
        made = await client.post(HERE, json=body)
        assert made.status_code == 201, made.text
        return made.json()["customer"], self.signed(made.json()["token"])

    def signed(self, token: str) -> httpx.AsyncClient:
        """Come in with a token."""
        return self.firm.house.client(self.firm.storefront_key, **{"Customer-Token": token})


async def granted(answer: httpx.Response) -> dict[str, Any]:
    """Check that an answer is a success, and open it."""
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body
