"""Create and change companies, keys and operators."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts import permissions, queries
from pannier.accounts.models import KEY_PREFIXES, Company, Key, KeyKind, Operator, Store
from pannier.accounts.queries import COMPANIES, KEYS, OPERATORS, STORES
from pannier.accounts.schemas import KeyChange, OperatorChange, OperatorIn
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.models import Holder
from pannier.db import Database, Db, audit
from pannier.errors import Conflict, FieldError, Invalid, parse_field
from pannier.kit import credential, email, ids, passwords
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.web.fields import drop_fixed_fields, get_sent_fields

HINT_LENGTH: Final = 15


class EmailTaken(Conflict):
    """An operator's email address is unique within a company."""

    code = "email_taken"
    title = "Another operator has this email address."
    remedy = "Use another address."


class LastAdmin(Conflict):
    """A company always has at least one admin."""

    code = "last_admin"
    title = "This is the last admin."
    remedy = "Make another operator an admin first."


class KeyRevoked(Conflict):
    """A revoked key cannot be used again."""

    code = "key_revoked"
    title = "This key is revoked."
    remedy = "Create a new key."


class NewKey(NamedTuple):
    """A key with its text, which is shown only once."""

    row: Key
    text: str


async def create_company(db: Db, name: str, mode: Mode) -> Company:
    uuid = db.new_uuid()
    row = Company(
        uuid=uuid,
        company=uuid,
        public_id=ids.new_public_id("company"),
        name=name,
        mode=mode,
        created_at=db.now,
        updated_at=db.now,
    )
    return await COMPANIES.insert(db, row)


async def create_store(db: Db, company: UUID, name: str) -> Store:
    return await STORES.create(db, company, name=name)


async def create_key(
    db: Db,
    company: UUID,
    *,
    kind: KeyKind,
    name: str,
    scopes: list[str] | None = None,
    store: str | None = None,
    expires_at: datetime | None = None,
) -> NewKey:
    scopes = _check_scopes(kind, scopes)
    if expires_at is not None and expires_at <= db.now:
        raise Invalid(fields=[FieldError("expires_at", "must be in the future.")])
    is_storefront_key = kind == "storefront"
    store_uuid = (await queries.get_store(db, company, store)).uuid if is_storefront_key else None
    return await _insert_key(db, company, kind, name, scopes, store_uuid, expires_at)


def _check_scopes(kind: KeyKind, requested_scopes: list[str] | None) -> list[str]:
    """Validate a key's scopes; None means all."""
    if kind == "app":
        if requested_scopes:
            sentence = "An app key has no scopes: it only signs drivers in. Leave this out."
            raise Invalid(fields=[FieldError("scopes", sentence)])
        return []
    scopes = [permissions.ALL_SCOPES] if requested_scopes is None else requested_scopes
    unknown_scopes = [scope for scope in scopes if scope not in permissions.SCOPES]
    if unknown_scopes or not scopes:
        choices = ", ".join(permissions.SCOPES)
        raise Invalid(fields=[FieldError("scopes", f"Choose at least one of: {choices}.")])
    return scopes


async def _insert_key(
    db: Db, company: UUID, kind: KeyKind, name: str, scopes: list[str], store: UUID | None,
    expires_at: datetime | None,
) -> NewKey:  # fmt: skip
    mode = (await queries.get_company(db, company)).mode
    new_credential = credential.mint(KEY_PREFIXES[kind], mode)
    row = KEYS.draft(
        db,
        company,
        public_id=f"key_{new_credential.id}",
        store=store,
        kind=kind,
        name=name,
        scopes=scopes,
        secret_hash=new_credential.hash,
        hint=new_credential.text[:HINT_LENGTH] + "…",
        app_key=new_credential.text if kind == "app" else None,
        expires_at=expires_at,
    )
    details = {"name": name, "kind": kind, "scopes": scopes}
    return NewKey(await KEYS.insert(db, row, log_details=details), new_credential.text)


async def change_key(db: Db, key: Key, change: KeyChange) -> Key:
    """Change a key's name or scopes."""
    columns = drop_fixed_fields(
        get_sent_fields(change), key, "kind", "store", "expires_at", "revoked_at"
    )
    if "scopes" in columns:
        columns["scopes"] = _check_scopes(key.kind, columns["scopes"])
    updated_key, _ = await KEYS.change(db, key, log_details=columns, **columns)
    return updated_key


async def revoke_key(db: Db, key: Key) -> Key:
    """Revoke a key. The next request with it is refused."""
    if key.revoked_at is not None:
        return key
    details = {"name": key.name}
    revoked_key, _ = await KEYS.change(
        db, key, log_action="revoked", log_details=details, revoked_at=db.now
    )
    return revoked_key


async def rotate_key(db: Db, key: Key, overlap: timedelta) -> NewKey:
    """Create a successor; the old key works until the overlap ends."""
    is_expired = key.expires_at is not None and key.expires_at <= db.now
    if key.revoked_at is not None or key.replaced_by is not None or is_expired:
        raise KeyRevoked("This key is revoked or expired, or was rotated before. Create a new key.")
    successor = await _insert_key(
        db, key.company, key.kind, key.name, key.scopes, key.store, key.expires_at
    )
    ends_at = min(db.now + overlap, key.expires_at) if key.expires_at else db.now + overlap
    await KEYS.change(
        db,
        key,
        log_action="rotated",
        log_details={"replaced_by": successor.row.public_id, "until": ends_at.isoformat()},
        replaced_by=successor.row.uuid,
        expires_at=ends_at,
    )
    return successor


async def create_operator(db: Db, hasher: Passwords, company: UUID, data: OperatorIn) -> Operator:
    """Create an operator. For commands only: it holds the connection while it hashes."""
    return await create_operator_with_hash(
        db, company, data, await hash_password(hasher, data, data.password)
    )


async def create_operator_with_hash(
    db: Db, company: UUID, data: OperatorIn, password_hash: str
) -> Operator:
    address = parse_field("email", email.normalise, data.email)
    try:
        return await OPERATORS.create(
            db,
            company,
            email=address,
            email_key=email.key(address),
            name=data.name,
            role=data.role,
            password_hash=password_hash,
        )
    except asyncpg.UniqueViolationError:
        raise EmailTaken from None


async def change_operator(
    db: Db,
    operator: Operator,
    change: OperatorChange,
    password_hash: str | None,
    *,
    trusted_session: str = "",
) -> Operator:
    """Change an operator's name, role or password, or disable them; one admin must remain.

    A new password ends every session, and so does disabling. The device of `trusted_session` stays
    trusted.
    """
    columns = drop_fixed_fields(get_sent_fields(change), operator, "email", "disabled_at")
    changed_columns = dict(columns)
    if "disabled" in changed_columns:
        changed_columns["disabled_at"] = db.now if changed_columns.pop("disabled") else None
    if changed_columns.pop("password", None) is not None:
        changed_columns["password_hash"] = password_hash
    changed_operator = msgspec.structs.replace(operator, **changed_columns)
    if changed_operator.role != "admin" or changed_operator.disabled_at is not None:
        await _check_admin_remains(db, operator)
    public_values = {name: value for name, value in columns.items() if name != "password"}
    details = {"password_changed": "password" in columns, **public_values}
    updated_operator, written_columns = await OPERATORS.change(
        db, operator, log_details=details, **changed_columns
    )
    if "password_hash" in written_columns or updated_operator.disabled_at is not None:
        cause = "password change" if "password_hash" in written_columns else "disabled"
        await tokens.revoke_all_tokens(
            db, make_holder(operator), revoked_by=cause, trusted_session=trusted_session
        )
    return updated_operator


async def hash_changed_password(
    database: Database, hasher: Passwords, company: UUID, identifier: str, change: OperatorChange
) -> str | None:
    """Hash the new password of a change, if it has one, without holding a connection."""
    if not isinstance(change.password, str):
        return None
    async with database.reading() as db:
        operator = await OPERATORS.get(db, company, identifier)
    return await hash_password(hasher, operator, change.password)


async def hash_password(hasher: Passwords, operator: Operator | OperatorIn, password: str) -> str:
    """Check a new password against the policy, and hash it."""
    address = parse_field("email", email.normalise, operator.email)
    context = [address, address.partition("@")[0], operator.name]
    secret = parse_field(
        "password", lambda text: passwords.check_policy(text, context=context), password
    )
    return await hasher.hash(secret)


async def remove_operator(db: Db, operator: Operator) -> None:
    """Remove an operator. The name stays in the audit log, and the address can be used again."""
    await _check_admin_remains(db, operator)
    await tokens.delete_all_tokens(db, make_holder(operator))
    await _delete_saved_views(db, operator)
    details = {"email": operator.email}
    await OPERATORS.remove(db, operator, log_action="removed", log_details=details)


async def _delete_saved_views(db: Db, operator: Operator) -> None:
    """Delete an operator's saved views, and erase what the audit log has of their filters."""
    view_ids = await queries.delete_saved_views(db, operator.company, operator.uuid)
    await audit.erase_changes(db, operator.company, view_ids)


def make_holder(operator: Operator) -> Holder:
    return Holder(operator.company, "operator", operator.uuid, operator.public_id)


async def _check_admin_remains(db: Db, operator: Operator) -> None:
    is_admin = operator.role == "admin" and operator.disabled_at is None
    if is_admin and await queries.count_other_admins(db, operator.company, operator.uuid) == 0:
        raise LastAdmin
