"""Changes of a customer's own data: name, password, phone and address.

Changes to sign-in methods need recent authentication and end the other sessions.
"""

from typing import Any, Final, NamedTuple

import asyncpg
from msgspec import UNSET

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.tokens import known
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.known import Origin
from pannier.customers import fresh, identities, queries, service, sessions
from pannier.customers.auth import Shopper
from pannier.customers.identities import Kind, Named
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerChange, ResetIn
from pannier.customers.service import RESET, CustomerExists, Store
from pannier.db import Database, Db
from pannier.errors import Field, Invalid, checked
from pannier.kit.passwords import Passwords
from pannier.notifications import service as notifications
from pannier.notifications.texts import compose
from pannier.partners import service as partners
from pannier.verification import service as verification
from pannier.verification.codes import CodeInvalid
from pannier.verification.service import Requested
from pannier.web import budgets, fields
from pannier.web.fields import given_fields

VERIFY: Final[dict[Kind, str]] = {
    "phone": "Verify the new number with `request-phone-verification`.",
    "email": "Verify the new address with `request-email-verification`.",
}
# The column of an identity that is wanted but not verified yet.
WANTED: Final[dict[Kind, str]] = {"phone": "phone_wanted", "email": "email_wanted"}


class NewPassword(NamedTuple):
    """A new password's hash, and the hash of the verified current one."""

    hashed: str
    before: str | None


async def new_password(
    database: Database, hasher: Passwords, shopper: Shopper, given: CustomerChange
) -> NewPassword | None:
    """Authorise a new password and hash it; no connection is held meanwhile."""
    if not isinstance(given.password, str):
        return None
    async with database.reading() as db:
        customer = await CUSTOMERS.get(db, shopper.company, shopper.customer)
        confirmed = fresh.is_confirmed(db, shopper)
        if customer.password_hash is None:
            fresh.require(db, shopper)
        looked_at = sessions.passwords(shopper.customer)
        counted = await sessions.bounded(db, shopper.company, looked_at)
    before = customer.password_hash
    if before is not None and not (confirmed and given.current_password is UNSET):
        present = given.current_password if isinstance(given.current_password, str) else ""
        before = await fresh.check_password(
            database, hasher, shopper, present, path="current_password"
        )
    context = [customer.name, customer.email or "", customer.phone or ""]
    service.check_password(given.password, context)
    await budgets.spend(database, counted)
    return NewPassword(await hasher.hash(given.password), before)


async def change(
    db: Db, shopper: Shopper, customer: Customer, given: CustomerChange, new: NewPassword | None
) -> Customer:
    """Update the customer's own data; a new password ends the other sessions."""
    wanted = given_fields(given)
    for secret in ("password", "current_password"):
        wanted.pop(secret, None)
    _check_identities(customer, wanted)
    if "meta" in wanted:
        wanted["meta"] = checked("meta", fields.bounded, wanted["meta"])
    if new is not None:
        if customer.password_hash != new.before:
            raise Invalid(fields=[Field("current_password", fresh.WRONG)])
        wanted["password_hash"] = new.hashed
        await end_others(db, shopper, "password change")
    saved, _ = await CUSTOMERS.change(db, customer, **wanted)
    if "name" in wanted:
        await _show_contact(db, customer, "name", saved.name)
    return saved


def _check_identities(customer: Customer, wanted: dict[str, Any]) -> None:
    """Reject a changed phone or address, because new ones are verified first."""
    readers = {"phone": identities.of_phone, "email": identities.of_email}
    for kind, sentence in VERIFY.items():
        text = wanted.pop(kind, UNSET)
        present = getattr(customer, kind)
        if text is UNSET or text == present:
            continue
        if not text or present is None or readers[kind](text, kind).text != present:
            raise Invalid(fields=[Field(kind, sentence)])


async def end_others(db: Db, shopper: Shopper, cause: str) -> None:
    """End the customer's other sessions: one may be the attacker's."""
    await tokens.revoke_all(db, shopper.holder, by=cause, but=shopper.token)


async def hashed_reset(
    database: Database, hasher: Passwords, store: Store, given: ResetIn, origin: Origin
) -> str | None:
    """Hash the new password of a reset, if a code is pending; no connection is held meanwhile."""
    identity = identities.read(given.identity)
    service.check_password(given.password, [identity.text])
    async with database.reading() as db:
        customer = await queries.owner(db, store.company, store.uuid, identity)
        place = await sessions.place(db, store.company, store.uuid, customer, origin)
        claimant = service.claimant(store, RESET, identity, origin.address, place)
        awaited = await verification.is_code_awaited(db, claimant, store=store.uuid)
    if not awaited:
        return None
    device = None if place is None or not place.proved else place.name
    await service.count_hash(database, store, identity, device or origin.network)
    return await hasher.hash(given.password)


async def reset_password(
    db: Db, store: Store, given: ResetIn, hashed: str | None, origin: Origin
) -> None:
    """Set a new password with a code; all sessions end, as the old password may be compromised."""
    identity = identities.read(given.identity)
    await service.check_of_owner(db, store, RESET, identity, given.code, origin)
    customer = await queries.owner(db, store.company, store.uuid, identity, lock="for update")
    if customer is None:
        raise CodeInvalid
    service.require_hashed(hashed)
    await CUSTOMERS.change(db, customer, password_hash=hashed, phone_wanted=None, email_wanted=None)
    holder = sessions.holder(customer)
    # The requester's device stays known, or guessing strangers could lock the customer out.
    shown = known.shown(db.database.keys, holder, origin)
    await tokens.revoke_all(db, holder, by="password reset", known=shown)


async def request_identity(
    db: Db, store: Store, shopper: Shopper, customer: Customer, identity: Named, *, address: str
) -> Requested:
    """Send a code to the phone or address that a customer wants to add."""
    fresh.require(db, shopper)
    wanted: dict[str, Any] = {WANTED[identity.kind]: identity.text}
    await CUSTOMERS.change(db, customer, **wanted)
    purpose = _purpose(identity.kind, customer)
    return await service.request_code(db, store, purpose, identity, address=address)


async def verify_identity(
    db: Db, store: Store, shopper: Shopper, customer: Customer, kind: Kind, code: str, *,
    address: str,
) -> Customer:  # fmt: skip
    """Give a customer the phone or address that they have the code for; notify the old one."""
    fresh.require_proof(shopper)
    wanted: str | None = getattr(customer, WANTED[kind])
    if wanted is None:
        raise CodeInvalid
    identity = identities.of(kind, wanted)
    await service.check_code(db, store, _purpose(kind, customer), identity, code, address=address)
    owner = await queries.owner(db, store.company, store.uuid, identity)
    if owner is not None and owner.uuid != customer.uuid:
        raise CustomerExists
    await service.strip(db, store, identity)
    # `remove_unverified` may have updated this row too.
    customer = await queries.take(db, store.company, store.uuid, customer.uuid)
    saved = await _taken_over(db, customer, identity)
    await end_others(db, shopper, f"{kind} change")
    await _tell_old(db, store, customer, identity)
    return saved


async def _taken_over(db: Db, customer: Customer, identity: Named) -> Customer:
    columns: dict[str, Any] = {
        **service.said(identity),
        "former": service.formerly(customer, _old(customer, identity)),
        f"{identity.kind}_verified_at": db.now,
        WANTED[identity.kind]: None,
    }
    try:
        saved, _ = await CUSTOMERS.change(db, customer, **columns)
    except asyncpg.UniqueViolationError:
        raise CustomerExists from None
    await _show_contact(db, customer, identity.kind, identity.text)
    return saved


async def _show_contact(db: Db, customer: Customer, column: str, text: str) -> None:
    """Update the customer's contact too, because orders name the contact."""
    await partners.set_address(db, customer.company, customer.contact, column, text)


def _old(customer: Customer, identity: Named) -> str | None:
    """Return the verified phone or address that a new one replaces."""
    old: str | None = getattr(customer, identity.kind)
    if old is None or getattr(customer, f"{identity.kind}_verified_at") is None:
        return None
    return None if identities.of(identity.kind, old).key == identity.key else old


async def _tell_old(db: Db, store: Store, before: Customer, identity: Named) -> None:
    """Notify the replaced phone or address."""
    old = _old(before, identity)
    if old is None:
        return
    settings = await company_settings.of(db, store.company, store.uuid)
    key, brand = f"account.{identity.kind}", settings.branding.name
    text = compose(settings.locale, f"{key}_text", brand=brand)
    subject = compose(settings.locale, f"{key}_subject") if identity.channel == "email" else ""
    await notifications.send(
        db, store.company, identity.channel, old, text, subject, store=store.uuid
    )


def _purpose(kind: Kind, customer: Customer) -> str:
    return f"{kind}:{customer.uuid}"
