"""The cast of deliveries: a post office whose clock stands still, and receivers that obey."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import msgspec

from pannier.events import outbox, relay
from pannier.events.catalog import Name
from pannier.webhooks import fanout
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.models import AttemptResult
from pannier.webhooks.sender import WebhookSender
from pannier.webhooks.webhook_client import set_outcome
from stage import Firm, House

URL: Final = "https://receiver.example.com/hooks"


class Told(msgspec.Struct):
    """What the test's events carry."""

    id: str
    number: int = 0


class Request(msgspec.Struct):
    """A request as a receiver saw it."""

    at: datetime
    url: str
    headers: dict[str, str]
    body: bytes
    fresh: bool


def answering(status: int, **more: Any) -> AttemptResult:
    """Answer with a status."""
    answer = AttemptResult(outcome="refused", status=status, **more)
    set_outcome(answer)
    return answer


@dataclass
class Receivers:
    """Every receiver there is: carries requests nowhere, and answers as it was told.

    What it answers is asked for at the very moment a request leaves, so that a test can look
    around and do something while the request is on its way.
    """

    house: House
    requests: list[Request] = field(default_factory=list)
    answer: Callable[[Request], AttemptResult | Awaitable[AttemptResult]] = lambda _: answering(200)

    async def send(
        self,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        timeout: float,  # noqa: ARG002, ASYNC109 - as what it stands for
        *,
        fresh: bool = False,
    ) -> AttemptResult:
        request = Request(self.house.clock.now(), url, dict(headers), body, fresh)
        self.requests.append(request)
        answer = self.answer(request)
        return answer if isinstance(answer, AttemptResult) else await answer

    async def close(self) -> None:
        """There is nothing to close."""


@dataclass
class Office:
    """Where a company's events become deliveries, driven by hand."""

    firm: Firm
    receivers: Receivers
    sender: WebhookSender

    @classmethod
    def of(cls, firm: Firm) -> "Office":
        receivers = Receivers(firm.house)
        return cls(firm, receivers, cls.hire(firm, receivers))

    @staticmethod
    def hire(firm: Firm, receivers: Receivers, member: int = 1) -> WebhookSender:
        """Take a worker in."""
        return WebhookSender(firm.house.database, receivers, SoleMember(member), max_in_flight=64)

    async def register(self, **wishes: Any) -> dict[str, Any]:
        """Register an endpoint, and answer it with its secret."""
        made = await self.firm.admin.post("/int/v1/webhooks", json={"url": URL, **wishes})
        assert made.status_code == 201, made.text
        answer: dict[str, Any] = made.json()
        return answer

    async def tell(
        self, name: Name = Name.ORDER_CREATED, subject: str = "order_1", number: int = 0
    ) -> None:
        """Let something happen."""
        async with self.firm.house.database.transaction() as db:
            told = Told(subject, number)
            await outbox.emit(db, self.firm.uuid, name, told, subject=subject)

    async def relay(self) -> None:
        """Hand what happened over to the endpoints."""
        while await relay.Relay(self.firm.house.database, (fanout.create_deliveries,)).step():
            pass

    async def work(self) -> None:
        """Relay and send until nothing is due."""
        await self.relay()
        while await self.sender.step():
            await self.sender.wait_until_idle()

    async def deliveries(self, **filters: str) -> list[dict[str, Any]]:
        """Read the log, the oldest first."""
        answer = await self.firm.admin.get(
            "/int/v1/webhook-deliveries", params={"sort": "created_at", "limit": 100, **filters}
        )
        assert answer.status_code == 200, answer.text
        rows: list[dict[str, Any]] = answer.json()["data"]
        return rows

    async def delivery(self, identifier: str) -> dict[str, Any]:
        """Read a delivery with its attempts."""
        answer = await self.firm.admin.get(f"/int/v1/webhook-deliveries/{identifier}")
        row: dict[str, Any] = answer.json()
        return row
