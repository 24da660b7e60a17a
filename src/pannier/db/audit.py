"""Audit log rows: actor, action, and the fields before and after, without secrets."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db.actor import Kind
from pannier.db.database import Db
from pannier.db.row import PublicRow
from pannier.db.sql import columns

TABLE: Final = "audit_entries"
# Columns that say nothing about a change.
BOOKKEEPING: Final = frozenset({"uuid", "public_id", "company", "created_at", "updated_at"})
UNLOGGED: Final = BOOKKEEPING | {"version"}
# A border or a flow may be longer. The log then records only the length of the value.
MAX_VALUE_BYTES: Final = 2048


class AuditEntry(PublicRow, kw_only=True):
    """An actor's change. `before` and `after` hold only the fields that differ."""

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


def record(
    db: Db,
    company: UUID,
    action: str,
    subject: str,
    *,
    details: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Record an action. It is committed together with the change itself."""
    actor = db.actor
    db.append(
        TABLE,
        AuditEntry(
            **db.new_row_fields(company, "audit"),
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


def to_log_fields(fields: Mapping[str, Any], secret_columns: Collection[str]) -> dict[str, Any]:
    """Return a row's fields for the log, without secrets and bookkeeping columns."""
    return {
        name: "***" if name in secret_columns and value is not None else _to_log_value(value)
        for name, value in fields.items()
        if name not in UNLOGGED
    }


def _to_log_value(value: Any) -> Any:  # noqa: ANN401 - whatever the column holds
    """Return a loggable value. Bytes are masked, because they are hashes or sealed secrets."""
    builtins_value = msgspec.to_builtins(value, builtin_types=(bytes,))
    loggable = _mask_bytes(builtins_value)
    length = len(msgspec.json.encode(loggable))
    return loggable if length <= MAX_VALUE_BYTES else f"{length} bytes"


def _mask_bytes(value: Any) -> Any:  # noqa: ANN401 - JSON with bytes
    if isinstance(value, bytes):
        return "***"
    if isinstance(value, dict):
        return {name: _mask_bytes(part) for name, part in value.items()}
    return [_mask_bytes(part) for part in value] if isinstance(value, list) else value


async def erase_changes(db: Db, company: UUID, subjects: Sequence[str]) -> None:
    """Erase the recorded changes of some records. Actor and time stay."""
    await db.execute(
        """update audit_entries set details = '{}', before = '{}', after = '{}'
           where company = :company and subject = any(:subjects)""",
        company=company,
        subjects=subjects,
    )


async def erase_actor(db: Db, company: UUID, actor: str, name: str) -> None:
    """Rename an actor in the log and erase their addresses."""
    await db.execute(
        """update audit_entries set actor_name = :name, address = ''
           where company = :company and actor = :actor""",
        company=company,
        actor=actor,
        name=name,
    )


async def list_changes(db: Db, company: UUID, subjects: Sequence[str]) -> list[AuditEntry]:
    """List the changes of some records, oldest first."""
    return await db.fetch_all(
        AuditEntry,
        f"""select {columns(AuditEntry)} from audit_entries
            where company = :company and subject = any(:subjects) order by created_at""",
        company=company,
        subjects=subjects,
    )
