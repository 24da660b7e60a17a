"""A person who asks for codes and types them."""

from dataclasses import dataclass
from typing import Any

import pytest

from pannier.db import Database
from pannier.verification import service
from pannier.verification.models import CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.verification.service import CodeTiming
from stage import Firm

PHONE = "+6591234567"
ADDRESS = "192.0.2.1"


@dataclass
class Person:
    """Asks a firm's store for codes, reads the messages, types codes."""

    database: Database
    firm: Firm
    identity: str = PHONE
    scope: str = "store_one"
    purpose: str = "login"

    @property
    def code_scope(self) -> CodeScope:
        return CodeScope(self.firm.uuid, self.scope, self.purpose, self.identity)

    async def ask(
        self, channel: Any = "sms", *, address: str | None = ADDRESS, **more: Any
    ) -> CodeTiming:
        claimant = Claimant(self.code_scope, address)
        async with self.database.transaction() as db:
            return await service.request_code(db, claimant, CodeRequest(channel, **more))

    async def type(self, code: str) -> None:
        async with self.database.transaction() as db:
            await service.check_code(db, Claimant(self.code_scope, ADDRESS), code)

    async def texts(self) -> list[str]:
        """Read the messages that were written, the oldest first."""
        async with self.database.reading() as db:
            text: str | None = await db.fetch_value(
                """select string_agg(body, E'\n' order by created_at, uuid)
                   from messages where recipient = :to""",
                to=self.identity,
            )
        return text.splitlines() if text else []

    async def codes(self) -> list[str]:
        return [text[:6] for text in await self.texts()]

    async def wrong(self) -> str:
        """Think of a code that was never sent."""
        sent = await self.codes()
        return next(code for code in ("111111", "222222", "333333", "444444") if code not in sent)


@pytest.fixture
def ada(database: Database, acme: Firm) -> Person:
    return Person(database, acme)
