"""People who wait for deliveries, and what they were told."""

from typing import Any, NamedTuple

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.db import columns
from pannier.events import relay
from pannier.events.models import Event
from pannier.news import sending
from pannier.news.processor import NewsProcessor
from pannier.news.subscriber import queue_events
from pannier.subscribers import SUBSCRIBERS
from stage import Firm, House

PHONE, OTHER = "+6591234567", "+6598765432"


class Heard(NamedTuple):
    """A message as it was written."""

    channel: str
    to: str
    subject: str
    text: str


async def relayed(house: House) -> None:
    """Have subscribers told what happened."""
    while await relay.Relay(house.database, SUBSCRIBERS).step():
        pass


async def all_told(house: House) -> None:
    """Have everybody told what happened."""
    await relayed(house)
    teller = NewsProcessor(house.database)
    while await teller.step():
        pass


class Waiting(Shop):
    """A shop whose recipients are told what happens."""

    def __init__(self, firm: Firm, house: House) -> None:
        super().__init__(firm)
        self.house = house

    async def person(self, **more: Any) -> dict[str, Any]:
        """Somebody who waits for a delivery."""
        return await self.post("contacts", **{"name": "Ada Lovelace", "phone": PHONE, **more})

    async def for_two(self, **more: Any) -> dict[str, Any]:
        """Place an order that calls at two people's doors after its pickup."""
        ada = await self.person()
        eve = await self.person(name="Eve", phone=OTHER)
        stops = [
            {"place": RAFFLES, "type": "pickup"},
            {"place": MANDAI, "contact": ada["id"]},
            {"place": CHANGI, "contact": eve["id"]},
        ]
        return await self.ready(waypoints=stops, **more)

    async def set(self, **news: Any) -> None:
        """Set what recipients are told."""
        answer = await self.firm.admin.patch("/int/v1/settings", json={"news": news})
        assert answer.status_code == 200, answer.text

    def number(self, order: dict[str, Any]) -> str:
        """What an order is followed by."""
        return str(order["tracking_number"]["tracking_number"])

    async def tell_again(self) -> None:
        """Have all that ever happened told once more."""
        async with self.house.database.transaction() as db:
            sql = f"select {columns(Event)} from events order by created_at, uuid"
            await queue_events(db, await db.fetch_all(Event, sql))
        await all_told(self.house)

    async def queued(self) -> list[Event]:
        """Read what waits to be told, in its order."""
        async with self.house.database.reading() as db:
            return await db.fetch_all(
                Event,
                f"""select {columns(Event, "e")} from news_queue q join events e on e.uuid = q.event
                    where q.company = :company order by q.position""",
                company=self.firm.uuid,
            )

    async def spent(self) -> int:
        """Count what of the day's SMS is spent."""
        async with self.house.database.reading() as db:
            return await sending.count_sent_sms(db, self.firm.uuid)

    async def heard(self, to: str | None = None) -> list[Heard]:
        """Read what was said, to everybody or to somebody, the oldest first."""
        await all_told(self.house)
        query = "" if to is None else f"&to={to.replace('+', '%2B')}"
        answer = await self.firm.admin.get(f"/int/v1/messages?limit=100{query}")
        assert answer.status_code == 200, answer.text
        return [
            Heard(row["channel"], row["to"], row["subject"], row["text"])
            for row in reversed(answer.json()["data"])
        ]
