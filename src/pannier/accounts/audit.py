"""The audit log: every change an operator makes, in the same transaction as the change."""

from typing import Any, Literal
from uuid import UUID

import msgspec

from pannier.accounts.auth import Caller
from pannier.accounts.models import AuditEntry
from pannier.db import Db
from pannier.kit import ids


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
