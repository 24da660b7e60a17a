"""A channel that remembers, for the seam where messages leave the house."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest

from pannier.db import Database
from pannier.notifications import service
from pannier.notifications.channels import Channels
from pannier.notifications.models import MessageRow
from pannier.notifications.sender import make_senders
from stage import Firm


@dataclass
class Recorder:
    """Delivers into a list; `failing` is raised instead, `holding` is awaited afterwards."""

    delivered: list[tuple[str, str, str]] = field(default_factory=list)
    failing: Exception | None = None
    holding: asyncio.Event | None = None
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def deliver(
        self,
        recipient: str,
        subject: str,
        text: str,
        sender: str = "",
        unsubscribe_url: str | None = None,
    ) -> None:
        del sender, unsubscribe_url  # It has no use for them.
        if self.failing is not None:
            raise self.failing
        self.delivered.append((recipient, subject, text))
        self.arrived.set()
        if self.holding is not None:
            await self.holding.wait()


@dataclass
class Desk:
    """Where a test writes messages and looks at them again."""

    database: Database
    firm: Firm

    async def write(self, to: str = "+6591234567", text: str = "Hello.", **more: Any) -> MessageRow:
        async with self.database.transaction() as db:
            channel = more.pop("channel", "sms")
            return await service.queue_message(db, self.firm.uuid, channel, to, text, **more)

    async def send(self, channels: Channels) -> bool:
        """Let a worker with these channels send once what is due, and wait for it."""
        outgoing = make_senders(self.database, channels)
        worked = [await sender.step() for sender in outgoing]
        for sender in outgoing:
            await sender.wait_until_idle()
        return any(worked)

    async def look(self, uuid: UUID) -> MessageRow:
        async with self.database.reading() as db:
            return await db.get(MessageRow, "select * from messages where uuid = :uuid", uuid=uuid)


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def recorders() -> Callable[[], Recorder]:
    return Recorder


@pytest.fixture
def desk(database: Database, acme: Firm) -> Desk:
    return Desk(database, acme)
