"""Changes of a customer's own data: name, password, phone and address.

Changes to sign-in methods need recent authentication and end the other sessions.
"""

from typing import Any, Final, NamedTuple

import asyncpg
from msgspec import UNSET

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.tokens import device_proofs
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers import identities, queries, reauthentication, service, sessions
from pannier.customers.auth import Shopper
from pannier.customers.identities import IdentityKind, PhoneOrEmail
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerChange, ResetIn
from pannier.customers.service import RESET, CustomerExists, StoreRef
from pannier.db import Database, Db
from pannier.errors import FieldError, Invalid, parse_field
from pannier.kit.passwords import Passwords
from pannier.notifications import service as notifications
from pannier.notifications.texts import compose
from pannier.partners import service as partners
from pannier.verification import service as verification
from pannier.verification.codes import CodeInvalid
from pannier.verification.service import CodeTiming
from pannier.web import budgets, fields
from pannier.web.fields import get_sent_fields

VERIFICATION_HINTS: Final[dict[IdentityKind, str]] = {
    "phone": "Verify the new number with `request-phone-verification`.",
    "email": "Verify the new address with `request-email-verification`.",
}
# The column of an identity that the customer entered but has not verified.
WANTED_COLUMNS: Final[dict[IdentityKind, str]] = {"phone": "phone_wanted", "email": "email_wanted"}


class NewPassword(NamedTuple):
    """A new password's hash, and the hash of the verified current one."""

    password_hash: str
    previous_hash: str | None


async def prepare_password(
    database: Database, hasher: Passwords, shopper: Shopper, data: CustomerChange
) -> NewPassword | None:
    """Authorise and hash a new password. No connection is held while it is hashed."""
    if not isinstance(data.password, str):
        return None
    async with database.reading() as db:
        customer = await CUSTOMERS.get(db, shopper.company, shopper.customer)
        is_confirmed = reauthentication.is_confirmed(db, shopper)
        if customer.password_hash is None:
            reauthentication.require_recent_authentication(db, shopper)
        budget = sessions.make_password_budget(shopper.customer)
        check_budgets = await sessions.choose_budgets(db, shopper.company, budget)
    previous_hash = customer.password_hash
    if previous_hash is not None and not (is_confirmed and data.current_password is UNSET):
        current_password = data.current_password if isinstance(data.current_password, str) else ""
        previous_hash = await reauthentication.verify_password(
            database, hasher, shopper, current_password, path="current_password"
        )
    context = [customer.name, customer.email or "", customer.phone or ""]
    service.check_password_policy(data.password, context)
    await budgets.spend(database, check_budgets)
    return NewPassword(await hasher.hash(data.password), previous_hash)


async def update_customer(
    db: Db,
    shopper: Shopper,
    customer: Customer,
    data: CustomerChange,
    new_password: NewPassword | None,
) -> Customer:
    """Update the customer's own data; a new password ends the other sessions."""
    columns = get_sent_fields(data)
    for secret in ("password", "current_password"):
        columns.pop(secret, None)
    _check_identities_unchanged(customer, columns)
    if "meta" in columns:
        columns["meta"] = parse_field("meta", fields.check_meta, columns["meta"])
    if new_password is not None:
        if customer.password_hash != new_password.previous_hash:
            raise Invalid(
                fields=[FieldError("current_password", reauthentication.MISMATCH_MESSAGE)]
            )
        columns["password_hash"] = new_password.password_hash
        await revoke_other_sessions(db, shopper, "password change")
    updated_customer, _ = await CUSTOMERS.change(db, customer, **columns)
    if "name" in columns:
        await _update_contact(db, customer, "name", updated_customer.name)
    return updated_customer


def _check_identities_unchanged(customer: Customer, columns: dict[str, Any]) -> None:
    """Reject a new phone or address, because it must be verified first."""
    parsers = {"phone": identities.from_phone, "email": identities.from_email}
    for kind, sentence in VERIFICATION_HINTS.items():
        text = columns.pop(kind, UNSET)
        current_text = getattr(customer, kind)
        if text is UNSET or text == current_text:
            continue
        if not text or current_text is None or parsers[kind](text, kind).text != current_text:
            raise Invalid(fields=[FieldError(kind, sentence)])


async def revoke_other_sessions(db: Db, shopper: Shopper, cause: str) -> None:
    """End the customer's other sessions, because one may be an attacker's."""
    await tokens.revoke_all_tokens(db, shopper.holder, revoked_by=cause, except_token=shopper.token)


async def hash_reset_password(
    database: Database, hasher: Passwords, store: StoreRef, data: ResetIn, origin: SigninOrigin
) -> str | None:
    """Hash the new password of a reset if a code is pending, without holding a connection."""
    identity = identities.parse(data.identity)
    service.check_password_policy(data.password, [identity.text])
    async with database.reading() as db:
        customer = await queries.find_owner(db, store.company, store.uuid, identity)
        known_origin = await sessions.find_known_origin(
            db, store.company, store.uuid, customer, origin
        )
        claimant = service.make_claimant(store, RESET, identity, origin.address, known_origin)
        is_awaited = await verification.is_code_awaited(db, claimant, store=store.uuid)
    if not is_awaited:
        return None
    has_proof = known_origin is not None and known_origin.proved
    origin_name = known_origin.budget_name if known_origin and has_proof else origin.network
    await service.spend_hash_budget(database, store, identity, origin_name)
    return await hasher.hash(data.password)


async def reset_password(
    db: Db, store: StoreRef, data: ResetIn, password_hash: str | None, origin: SigninOrigin
) -> None:
    """Set a new password with a code, and end all sessions: the old one may be compromised."""
    identity = identities.parse(data.identity)
    await service.check_owner_code(db, store, RESET, identity, data.code, origin)
    customer = await queries.find_owner(db, store.company, store.uuid, identity, lock="for update")
    if customer is None:
        raise CodeInvalid
    service.require_password_hash(password_hash)
    await CUSTOMERS.change(
        db, customer, password_hash=password_hash, phone_wanted=None, email_wanted=None
    )
    holder = sessions.make_token_holder(customer)
    # The requester's device stays known, or guessing strangers could lock the customer out.
    trusted_session = device_proofs.read_proof(db.database.keys, holder, origin)
    await tokens.revoke_all_tokens(
        db, holder, revoked_by="password reset", trusted_session=trusted_session
    )


async def request_identity_code(
    db: Db,
    store: StoreRef,
    shopper: Shopper,
    customer: Customer,
    identity: PhoneOrEmail,
    *,
    address: str,
) -> CodeTiming:
    """Send a code to the phone or address that a customer wants to add."""
    reauthentication.require_recent_authentication(db, shopper)
    columns: dict[str, Any] = {WANTED_COLUMNS[identity.kind]: identity.text}
    await CUSTOMERS.change(db, customer, **columns)
    purpose = _purpose(identity.kind, customer)
    return await service.request_code(db, store, purpose, identity, address=address)


async def verify_identity(
    db: Db, store: StoreRef, shopper: Shopper, customer: Customer, kind: IdentityKind, code: str, *,
    address: str,
) -> Customer:  # fmt: skip
    """Set the phone or address that the customer has the code for; notify the old one."""
    reauthentication.require_proof(shopper)
    requested_text: str | None = getattr(customer, WANTED_COLUMNS[kind])
    if requested_text is None:
        raise CodeInvalid
    identity = identities.from_kind(kind, requested_text)
    await service.check_code(db, store, _purpose(kind, customer), identity, code, address=address)
    owner = await queries.find_owner(db, store.company, store.uuid, identity)
    if owner is not None and owner.uuid != customer.uuid:
        raise CustomerExists
    await service.remove_unverified_identity(db, store, identity)
    # `remove_unverified_identity` may have updated this row too.
    customer = await queries.lock_customer(db, store.company, store.uuid, customer.uuid)
    updated_customer = await _set_identity(db, customer, identity)
    await revoke_other_sessions(db, shopper, f"{kind} change")
    await _notify_replaced_identity(db, store, customer, identity)
    return updated_customer


async def _set_identity(db: Db, customer: Customer, identity: PhoneOrEmail) -> Customer:
    columns: dict[str, Any] = {
        **service.make_identity_columns(identity),
        "former": service.append_former_identities(
            customer, _find_replaced_identity(customer, identity)
        ),
        f"{identity.kind}_verified_at": db.now,
        WANTED_COLUMNS[identity.kind]: None,
    }
    try:
        updated_customer, _ = await CUSTOMERS.change(db, customer, **columns)
    except asyncpg.UniqueViolationError:
        raise CustomerExists from None
    await _update_contact(db, customer, identity.kind, identity.text)
    return updated_customer


async def _update_contact(db: Db, customer: Customer, column: str, text: str) -> None:
    """Update the customer's contact too, because orders name the contact."""
    await partners.set_address(db, customer.company, customer.contact, column, text)


def _find_replaced_identity(customer: Customer, identity: PhoneOrEmail) -> str | None:
    """Find the verified phone or address that a new one replaces."""
    old_text: str | None = getattr(customer, identity.kind)
    if old_text is None or getattr(customer, f"{identity.kind}_verified_at") is None:
        return None
    return None if identities.from_kind(identity.kind, old_text).key == identity.key else old_text


async def _notify_replaced_identity(
    db: Db, store: StoreRef, previous_customer: Customer, identity: PhoneOrEmail
) -> None:
    """Notify the replaced phone or address."""
    recipient = _find_replaced_identity(previous_customer, identity)
    if recipient is None:
        return
    settings = await company_settings.load(db, store.company, store.uuid)
    key, brand = f"account.{identity.kind}", settings.branding.name
    text = compose(settings.locale, f"{key}_text", brand=brand)
    subject = compose(settings.locale, f"{key}_subject") if identity.channel == "email" else ""
    await notifications.queue_message(
        db, store.company, identity.channel, recipient, text, subject, store=store.uuid
    )


def _purpose(kind: IdentityKind, customer: Customer) -> str:
    return f"{kind}:{customer.uuid}"
