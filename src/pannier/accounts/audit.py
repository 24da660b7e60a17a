"""The audit log: every change an operator makes, in the same transaction as the change."""

from typing import Any, Literal
from uuid import UUID

import msgspec

from pannier.accounts.auth import Caller, FleetKey
from pannier.accounts.models import AuditEntry
from pannier.db import Db
from pannier.kit import ids
from pannier.web.exchange import Exchange


class Actor(msgspec.Struct, frozen=True):
    """Whoever changes something."""

    company: UUID
    type: Literal["operator", "key", "command"]
    id: str
    name: str
    request_id: str = ""
    address: str = ""

    @classmethod
    def operator(cls, caller: Caller) -> "Actor":
        """An operator, by request."""
        return cls(
            caller.company,
            "operator",
            caller.public_id,
            caller.name,
            caller.request_id,
            caller.address,
        )

    @classmethod
    def key(cls, key: FleetKey, exchange: Exchange) -> "Actor":
        """A program with an API key, by request."""
        return cls(key.company, "key", key.public_id, key.name, exchange.id, exchange.address)

    @classmethod
    def of(cls, exchange: Exchange) -> "Actor":
        """Whoever is behind a request that operators and programs may make."""
        caller: Caller | FleetKey = exchange.caller
        if isinstance(caller, FleetKey):
            return cls.key(caller, exchange)
        return cls.operator(caller)

    @classmethod
    def command(cls, company: UUID) -> "Actor":
        """Whoever has a shell on the machine."""
        return cls(company, "command", "command line", "Command line")


async def record(db: Db, actor: Actor, action: str, subject: str, **details: Any) -> None:  # noqa: ANN401 - JSON
    """Write down who did what to whom."""
    await db.insert(
        "audit_entries",
        AuditEntry(
            uuid=db.new_uuid(),
            public_id=ids.new_public_id("audit"),
            company=actor.company,
            created_at=db.now,
            actor_type=actor.type,
            actor=actor.id,
            actor_name=actor.name,
            action=action,
            subject=subject,
            details=details,
            request_id=actor.request_id,
            address=actor.address,
        ),
    )
