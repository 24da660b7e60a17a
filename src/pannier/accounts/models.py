"""The rows of accounts."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from pannier.kit.credential import Mode

Role = Literal["admin", "dispatcher", "viewer"]
KeyKind = Literal["api", "storefront"]


class Company(msgspec.Struct):
    """Whoever everything belongs to."""

    uuid: UUID
    public_id: str
    name: str
    mode: Mode
    created_at: datetime


class Store(msgspec.Struct):
    """A storefront of a company."""

    uuid: UUID
    public_id: str
    company: UUID
    name: str
    created_at: datetime


class Operator(msgspec.Struct):
    """A person who works at the console."""

    uuid: UUID
    public_id: str
    company: UUID
    email: str
    email_key: str
    name: str
    role: Role
    password_hash: str
    created_at: datetime
    disabled_at: datetime | None = None


class OperatorToken(msgspec.Struct):
    """One sign-in of an operator."""

    uuid: UUID
    public_id: str
    company: UUID
    operator: UUID
    secret_hash: bytes
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None


class Key(msgspec.Struct):
    """An API or storefront key; its secret is kept as a hash."""

    uuid: UUID
    public_id: str
    company: UUID
    store: UUID | None
    kind: KeyKind
    name: str
    scopes: list[str]
    secret_hash: bytes
    hint: str
    created_at: datetime
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    replaced_by: UUID | None = None


class AuditEntry(msgspec.Struct):
    """Who changed what, and when."""

    uuid: UUID
    public_id: str
    company: UUID
    created_at: datetime
    actor_type: Literal["operator", "key", "command"]
    actor: str
    actor_name: str
    action: str
    subject: str
    details: dict[str, Any]
    request_id: str
    address: str
