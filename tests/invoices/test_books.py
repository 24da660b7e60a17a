"""Whatever happens to orders, money and documents: every cent in documents is in transactions."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from invoices.ledger import COMPLETE, check_documents
from orders.ledger import check_books
from orders.shop import Shop
from orders.test_books import COMPANIES, HISTORIES, History, shop

__all__ = ["shop"]
pytestmark = [pytest.mark.slow, pytest.mark.properties]
STEPS = 40
# With two, no and three decimals.
CURRENCIES = ("SGD", "JPY", "KWD")


class Accounts(History):
    """A company that also writes documents, by chance."""

    async def customers(self) -> list[str]:
        return [each["id"] for each in await self.shop.get("contacts?limit=100")]

    async def invoice(self, *statuses: str) -> str | None:
        """The path of any document with one of these statuses."""
        query = "&".join(f"status={status}" for status in statuses)
        found = await self.shop.get(f"invoices?limit=100&{query}")
        return f"/v1/invoices/{self.random.choice(found)['id']}" if found else None

    async def draft(self) -> None:
        body: dict[str, Any] = {"customer": self.random.choice(await self.customers())}
        if self.random.random() < 0.5:
            body["currency"] = self.random.choice(CURRENCIES)
        if self.random.random() < 0.2:
            body["orders"] = [self.order.removeprefix("/v1/orders/")]
        await self.ask("POST", "/v1/invoices", **body)

    async def treat(self) -> None:
        """Issue, refresh or delete a draft."""
        if (draft := await self.invoice("draft")) is not None:
            action = self.random.choice(["issue", "issue", "issue", "refresh", None])
            if action is None:
                await self.ask("DELETE", draft)
            else:
                await self.ask("POST", f"{draft}/{action}")

    async def credit(self) -> None:
        if (invoice := await self.invoice("issued", "overdue", "paid", "credited")) is None:
            return
        body: dict[str, Any] = {"reason": "Wrong."}
        if self.random.random() < 0.7:
            lines = (await self.shop.firm.api.get(invoice)).json()["lines"]
            chosen = self.random.sample(lines, self.random.randint(1, len(lines)))
            body["lines"] = [{"line": line["id"], **self.part(line)} for line in chosen]
        await self.ask("POST", f"{invoice}/credit-note", **body)

    def part(self, line: dict[str, Any]) -> dict[str, Any]:
        amount = self.random.randint(0, abs(line["amount"])) * (1 if line["amount"] > 0 else -1)
        return self.random.choice([{}, {"amount": amount}])

    async def pay_invoice(self) -> None:
        if (invoice := await self.invoice("issued", "overdue", "paid")) is not None:
            amount = self.random.choice([{}, {}, {"amount": self.random.randint(1, 3000)}])
            await self.ask("POST", f"{invoice}/payments", method="transfer", **amount)

    async def diversify(self) -> None:
        """Charge another order in any currency."""
        settings = {"currency": self.random.choice(CURRENCIES)}
        await self.ask("PATCH", "/int/v1/settings", **settings)
        await self.place()
        path = f"/v1/orders/{self.orders[-1]['id']}/charges"
        amount = self.random.randint(1, 2000)
        await self.ask("POST", path, kind="other", description="Toll", amount=amount, tax_rate=10)

    async def happen(self) -> None:
        steps: list[Callable[[], Awaitable[None]]] = [
            super().happen, super().happen, self.draft, self.treat, self.treat, self.credit,
            self.pay_invoice, self.diversify,
        ]  # fmt: skip
        await self.random.choice(steps)()

    async def close(self) -> None:
        """Issue everything."""
        while (draft := await self.invoice("draft")) is not None:
            await self.ask("DELETE", draft)
        for customer in await self.customers():
            for currency in CURRENCIES:
                body = {"customer": customer, "currency": currency}
                answer = await self.ask("POST", "/v1/invoices", **body)
                if answer.status_code == 201:
                    answer = await self.ask("POST", f"/v1/invoices/{answer.json()['id']}/issue")
                    assert answer.status_code == 200, answer.text
            answer = await self.ask("POST", "/v1/invoices", customer=customer)
            assert answer.json()["code"] == "nothing_to_invoice"


@pytest.mark.parametrize("seed", range(HISTORIES))
async def test_every_cent_in_documents_is_in_transactions(shop: Shop, seed: int) -> None:
    settings = COMPANIES[seed % len(COMPANIES)]
    answer = await shop.firm.admin.patch("/int/v1/settings", json=settings)
    assert answer.is_success, answer.text
    accounts = Accounts(shop, Random(seed))
    accounts.drivers.append(await shop.driver())
    for _ in range(2):
        await accounts.place()
        await accounts.accept()
    try:
        for _ in range(STEPS):
            await accounts.happen()
            await check_documents(shop.firm.house)
        await accounts.close()
        await check_books(shop.firm.house)
        await check_documents(shop.firm.house)
        await check_documents(shop.firm.house, COMPLETE)
    except AssertionError as broken:
        raise AssertionError("\n".join([str(broken), *accounts.told])) from None
