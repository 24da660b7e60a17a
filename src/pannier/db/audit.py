"""The audit log's rows: who changed what, from what to what, and never a secret."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db.actor import Kind
from pannier.db.pool import Db
from pannier.db.row import PublicRow
from pannier.db.sql import columns

TABLE: Final = "audit_entries"
# Columns that change with every change, and say nothing by themselves.
BOOKKEEPING: Final = frozenset({"uuid", "public_id", "company", "created_at", "updated_at"})
COUNTING: Final = BOOKKEEPING | {"version"}
# A border or a flow may be long; that it changed is what the log has to say.
LONGEST: Final = 2048


class AuditEntry(PublicRow, kw_only=True):
    """Who changed what, and when; `before` and `after` hold the fields that differ."""

    actor_type: Kind
    actor: str
    actor_name: str
    action: str
    subject: str
    details: dict[str, Any] = msgspec.field(default_factory=dict)
    before: dict[str, Any] = msgspec.field(default_factory=dict)
    after: dict[str, Any] = msgspec.field(default_factory=dict)
    request_id: str
    address: str


def write(
    db: Db,
    company: UUID,
    action: str,
    subject: str,
    *,
    details: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Write down who did what to whom; it is committed together with what was done."""
    actor = db.actor
    db.append(
        TABLE,
        AuditEntry(
            **db.begun(company, "audit"),
            actor_type=actor.kind,
            actor=actor.id,
            actor_name=actor.name,
            action=action,
            subject=subject,
            details=dict(details or {}),
            before=dict(before or {}),
            after=dict(after or {}),
            request_id=actor.request_id,
            address=actor.address,
        ),
    )


def shown(fields: Mapping[str, Any], secret: Collection[str]) -> dict[str, Any]:
    """Spell a row's fields for the log, without what is secret or says nothing."""
    return {
        name: "***" if name in secret and value is not None else _told(value)
        for name, value in fields.items()
        if name not in COUNTING
    }


def _told(value: Any) -> Any:  # noqa: ANN401 - whatever the column holds
    """Spell a value; bytes are hashes or sealed, whatever they hold."""
    spelled = msgspec.to_builtins(value, builtin_types=(bytes,))
    told = _without_bytes(spelled)
    length = len(msgspec.json.encode(told))
    return told if length <= LONGEST else f"{length} bytes"


def _without_bytes(value: Any) -> Any:  # noqa: ANN401 - JSON, but for bytes
    if isinstance(value, bytes):
        return "***"
    if isinstance(value, dict):
        return {name: _without_bytes(part) for name, part in value.items()}
    return [_without_bytes(part) for part in value] if isinstance(value, list) else value


async def erase(db: Db, company: UUID, subjects: Sequence[str]) -> None:
    """Erase what changes of some records said; who made them, and when, stays."""
    await db.execute(
        """update audit_entries set details = '{}', before = '{}', after = '{}'
           where company = :company and subject = any(:subjects)""",
        company=company,
        subjects=subjects,
    )


async def erase_actor(db: Db, company: UUID, actor: str, name: str) -> None:
    """Give an actor another name in the log, and erase the addresses they came from."""
    await db.execute(
        """update audit_entries set actor_name = :name, address = ''
           where company = :company and actor = :actor""",
        company=company,
        actor=actor,
        name=name,
    )


async def export(db: Db, company: UUID, subjects: Sequence[str]) -> list[AuditEntry]:
    """List the changes of some records, the oldest first."""
    return await db.many(
        AuditEntry,
        f"""select {columns(AuditEntry)} from audit_entries
            where company = :company and subject = any(:subjects) order by created_at""",
        company=company,
        subjects=subjects,
    )
