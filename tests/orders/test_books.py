"""Whatever happens to orders and their money, in any order, twice or late: the books balance."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import httpx
import pytest

import stage
from orders.ledger import check_books
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.payments import sweep as payments
from rates.counter import BY_KILOMETRE, rate

pytestmark = [pytest.mark.slow, pytest.mark.properties]

HISTORIES: Final = int(os.environ.get("PANNIER_FUZZ", "6"))
STEPS: Final = 22
# What a caller may be told. Anything else is a defect.
ANSWERS: Final = {200, 201, 303, 404, 409, 410, 422}
KINDS: Final = ("waiting", "redelivery", "surcharge", "discount", "goodwill", "other")
MOVES: Final = ("dispatch", "start", "start", "fail-attempt", "complete", "cancel")
COMPANIES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"tax_rate": 25.5, "prices_include_tax": False},
    {"tax_rate": 19, "undelivered_charge": "return_fee", "return_fee": "30%"},
    {"undelivered_charge": "void", "cancellation_refund": "manual"},
    {"tax_rate": 7, "cancellation_fees": {"created": 100, "dispatched": "50%", "started": "99%"}},
    {"price_changes": "refuse", "cancellation_refund": "manual", "tax_rounding": "document"},
    {"price_changes": "keep", "cancellation_fees": {"created": "10%", "dispatched": 10_000}},
)


class History:
    """What happens to the orders of a company, by chance."""

    def __init__(self, shop: Shop, random: Random) -> None:
        self.shop, self.random, self.told = shop, random, list[str]()
        self.orders: list[dict[str, Any]] = []
        self.drivers: list[dict[str, Any]] = []
        self.last: tuple[str, str, dict[str, Any]] | None = None

    async def ask(self, verb: str, path: str, **body: Any) -> httpx.Response:
        """Send a request as the key or, at random, as an operator. Note what was said."""
        client = self.shop.firm.api if path.startswith("/v1") else self.shop.firm.admin
        answer = await client.request(verb, path, json=body)
        self.told.append(f"{verb} {path} {body} -> {answer.status_code} {answer.text[:160]}")
        assert answer.status_code in ANSWERS, "\n".join(self.told)
        self.last = (verb, path, body)
        return answer

    @property
    def order(self) -> str:
        """The path of any order."""
        return f"/v1/orders/{self.random.choice(self.orders)['id']}"

    async def place(self) -> None:
        """Place an order, at random with a driver."""
        driver = self.random.choice([{}, {"driver": self.drivers[0]["id"]}])
        customer = {"name": "Ada", "phone": "+6591234567"}
        self.orders.append(await self.shop.order(customer=customer, **driver))

    async def accept(self) -> None:
        order = self.order
        if self.random.random() < 0.3:
            await self.ask("POST", f"{order}/service-quotes")
        offered = (await self.shop.firm.api.get(f"{order}/service-quotes")).json()
        if offered:
            quote = self.random.choice(offered[:3])
            await self.ask("POST", f"/v1/service-quotes/{quote['id']}/accept")

    async def owed(self) -> dict[str, Any] | None:
        name = self.order.removeprefix("/v1/orders/")
        found = await self.shop.get(f"transactions?order={name}")
        return self.random.choice(found) if found else None

    async def pay(self) -> None:
        """Open a page, and pay on it, or on one from before."""
        if (owed := await self.owed()) is None:
            return
        page = await self.ask("POST", f"/v1/transactions/{owed['id']}/checkout")
        url = page.json().get("checkout_url") or owed["checkout_url"]
        if url and self.random.random() < 0.8:
            answer = await self.shop.firm.house.client().post(f"{url}/pay")
            assert answer.status_code in ANSWERS, answer.text

    async def record(self) -> None:
        if (owed := await self.owed()) is not None:
            amount = self.random.choice([{}, {"amount": self.random.randint(1, 1500)}])
            path = f"/v1/transactions/{owed['id']}/payments"
            await self.ask("POST", path, method="transfer", **amount)

    async def refund(self) -> None:
        if (owed := await self.owed()) is not None:
            amount = self.random.choice([{}, {"amount": self.random.randint(1, 900)}])
            await self.ask("POST", f"/int/v1/transactions/{owed['id']}/refund", **amount)

    async def void(self) -> None:
        if (owed := await self.owed()) is not None:
            await self.ask("POST", f"/int/v1/transactions/{owed['id']}/void")

    async def charge(self) -> None:
        body: dict[str, Any] = {
            "kind": self.random.choice(KINDS),
            "description": "By hand",
            "amount": self.random.choice([-1, 1, 1]) * self.random.randint(1, 1200),
        }
        if self.random.random() < 0.3:
            body["tax_rate"] = self.random.choice([0, 7, 25.5])
        await self.ask("POST", f"{self.order}/charges", **body)

    async def change(self) -> None:
        customer = {"customer": {"name": "Bob", "phone": "+6598765432"}}
        body = self.random.choice(
            [{"dropoff": CHANGI}, {"dropoff": MANDAI}, {"pickup": RAFFLES, "notes": "!"}, customer]
        )
        await self.ask("PATCH", self.order, **body)

    async def act(self) -> None:
        move = self.random.choice(MOVES)
        bodies: dict[str, dict[str, Any]] = {
            "start": {"skip_dispatch": True},
            "fail-attempt": {"reason": "refused"},
            "complete": {},
        }
        await self.ask("POST", f"{self.order}/{move}", **bodies.get(move, {}))

    async def settle(self) -> None:
        """Let the worker send what is to go back."""
        house = self.shop.firm.house
        while await payments.step(house.database, house.edge.services["gateway"]):
            pass

    async def repeat(self) -> None:
        if self.last is not None:
            verb, path, body = self.last
            await self.ask(verb, path, **body)

    async def happen(self) -> None:
        steps: list[Callable[[], Awaitable[None]]] = [
            self.accept, self.accept, self.pay, self.pay, self.record, self.refund, self.void,
            self.charge, self.charge, self.change, self.change, self.act, self.act, self.settle,
            self.repeat,
        ]  # fmt: skip
        await self.random.choice(steps)()


@pytest.fixture
async def shop(database: Database, clock: ManualClock, tmp_path: Path) -> Shop:
    """A test company with two rates in a house with the fake gateway."""
    house = await stage.build(database, clock, str(tmp_path), payments="fake")
    shop = Shop(await house.found("Acme", mode="test"))
    await rate(shop.firm, **BY_KILOMETRE)
    await rate(shop.firm, service_name="Flat", base_fee=900)
    return shop


@pytest.mark.parametrize("seed", range(HISTORIES))
async def test_the_books_balance_after_every_step(shop: Shop, seed: int) -> None:
    random = Random(seed)
    settings = COMPANIES[seed % len(COMPANIES)]
    answer = await shop.firm.admin.patch("/int/v1/settings", json=settings)
    assert answer.is_success, answer.text
    history = History(shop, random)
    history.drivers.append(await shop.driver())
    for _ in range(2):
        await history.place()
        await history.accept()
    for _ in range(STEPS):
        await history.happen()
        try:
            await check_books(shop.firm.house)
        except AssertionError as broken:
            raise AssertionError("\n".join([str(broken), *history.told])) from None
