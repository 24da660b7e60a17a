"""Verbs of customers: register, sign in, change, verify a phone."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.service import Origin
from pannier.customers import identities, queries, sessions
from pannier.customers.auth import Shopper
from pannier.customers.identities import Named
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerChange, CustomerIn
from pannier.customers.sessions import SignedIn
from pannier.db import Database, Db
from pannier.errors import (
    Conflict,
    Field,
    Forbidden,
    Invalid,
    NotFound,
    Unauthenticated,
    checked,
)
from pannier.kit import passwords
from pannier.kit.passwords import Passwords
from pannier.notifications import service as notifications
from pannier.partners import service as partners
from pannier.partners.schemas import ContactIn
from pannier.verification import service as verification
from pannier.verification.service import CodeInvalid, Requested
from pannier.web import addresses, budgets, fields
from pannier.web.budgets import Budget
from pannier.web.fields import given_fields

CREATE, LOGIN, RESET = "create", "login", "reset"
BY_ADDRESS: Final = (100, timedelta(hours=1))
BY_IDENTITY: Final = ((10, timedelta(minutes=15)), (50, timedelta(days=1)))
# How young a sign-in must be to set a first password: somebody just proved who they are.
FRESH: Final = timedelta(minutes=10)
MOST_FORMER: Final = 100


class CustomerExists(Conflict):
    """Another customer has this phone or address; only who has it can learn that."""

    code = "customer_exists"
    title = "There is an account with this phone or e-mail address already; sign in instead."


class CredentialsInvalid(Unauthenticated):
    """Identity or password is wrong; which of them, we do not tell."""

    code = "invalid_credentials"
    title = "The phone, the e-mail address or the password is wrong."


class FreshSignInRequired(Forbidden):
    """A first password needs a sign-in that is minutes old, or a code."""

    code = "fresh_sign_in_required"
    title = "Sign in again first, or reset the password with a code."


class Store(msgspec.Struct, frozen=True):
    """The store that a request is about."""

    company: UUID
    uuid: UUID

    @property
    def columns(self) -> dict[str, Any]:
        """What says in a row which store it belongs to."""
        return {"company": self.company, "store": self.uuid}

    @property
    def scope(self) -> str:
        """What codes of the store are bound to."""
        return f"store:{self.uuid}"


async def request_code(
    db: Db, store: Store, purpose: str, identity: Named, *, address: str | None, quiet: bool = False
) -> Requested:
    """Send a code to an identity; a quiet one goes to nobody, and nobody can tell."""
    return await verification.request(
        db, store.company, store.scope, purpose, identity.key, identity.channel,
        address=address, to=identity.text, store=store.uuid, quiet=quiet,
    )  # fmt: skip


async def check_code(db: Db, store: Store, purpose: str, identity: Named, code: str) -> None:
    """Accept the right code, once."""
    await verification.check(
        db, store.company, store.scope, purpose, identity.key, code, store=store.uuid
    )


async def register(
    db: Db, hasher: Passwords, store: Store, given: CustomerIn, origin: Origin
) -> SignedIn:
    """Take a customer in who has the code that was sent to their phone or address."""
    named = _named(given)
    meta = checked("meta", fields.bounded, given.meta or {})
    if given.password is not None:
        check_password(given.password, [given.name, given.email or "", given.phone or ""])
    proved = await _coded(db, store, named, given)
    await check_code(db, store, CREATE, proved, given.code)
    if await queries.owner(db, store.company, store.uuid, proved) is not None:
        raise CustomerExists
    hashed = None if given.password is None else await hasher.hash(given.password)
    customer = await take_in(
        db, store, given.name, proved, others=named, password_hash=hashed, meta=meta
    )
    return await sessions.open_session(db, customer, proved.channel, origin)


def _named(given: CustomerIn) -> list[Named]:
    """Read the identities that a new customer names."""
    found = []
    if given.phone:
        found.append(identities.of_phone(given.phone))
    if given.email:
        found.append(identities.of_email(given.email))
    if given.identity:
        extra = identities.read(given.identity)
        found += [] if extra in found else [extra]
    if not found:
        raise Invalid(fields=[Field("phone", "Give the phone or email that the code went to.")])
    return found


async def _coded(db: Db, store: Store, named: list[Named], given: CustomerIn) -> Named:
    """Find which identity the code went to: the one that says so, or that asked last."""
    if given.identity:
        return identities.read(given.identity)
    keys = [identity.key for identity in named]
    asked = await verification.asked_last(db, store.company, store.scope, CREATE, keys)
    return next((identity for identity in named if identity.key == asked), named[0])


def check_password(password: str, context: list[str]) -> None:
    """Refuse a password that is too easy."""
    words = [word for word in context if word]
    checked("password", lambda raw: passwords.check_policy(raw, context=words), password)


async def take_in(
    db: Db,
    store: Store,
    name: str,
    proved: Named | None,
    *,
    others: list[Named] = [],  # noqa: B006 - never changed
    password_hash: str | None = None,
    meta: dict[str, Any] | None = None,
) -> Customer:
    """Write a new customer; what was proved is theirs, what they only say is kept unverified."""
    columns: dict[str, Any] = {}
    for identity in others:
        columns |= said(identity)
    if proved is not None:
        columns |= said(proved) | {f"{proved.kind}_verified_at": db.now}
        await strip(db, store, proved)
    contact = await partners.create_contact(
        db,
        store.company,
        ContactIn(
            name=name, type="customer", email=columns.get("email"), phone=columns.get("phone")
        ),
    )
    columns |= {"name": name, "password_hash": password_hash, "meta": meta or {}}
    try:
        return await CUSTOMERS.create(
            db, store.company, store=store.uuid, contact=contact.uuid, **columns
        )
    except asyncpg.UniqueViolationError:
        raise CustomerExists from None


def said(identity: Named) -> dict[str, Any]:
    """Name the columns of an identity."""
    if identity.kind == "phone":
        return {"phone": identity.text}
    return {"email": identity.text, "email_key": identity.key}


async def strip(db: Db, store: Store, identity: Named) -> None:
    """Take an identity from everybody who only said it was theirs: somebody has proved it."""
    column, nothing = ("phone", "phone = null")
    if identity.kind == "email":
        column, nothing = "email_key", "email = null, email_key = null"
    await db.execute(
        f"""update customers set {nothing}, updated_at = :now, version = version + 1
            where company = :company and store = :store and {column} = :key
              and {identity.kind}_verified_at is null""",
        now=db.now,
        **store.columns,
        key=identity.key,
    )


async def request_login(db: Db, store: Store, identity: Named, *, address: str) -> Requested:
    """Send a code to sign in with; whether anybody has that phone, the answer never tells."""
    customer = await queries.owner(db, store.company, store.uuid, identity)
    return await request_code(db, store, LOGIN, identity, address=address, quiet=customer is None)


async def recognised(
    database: Database, hasher: Passwords, store: Store, identity: str, password: str, address: str
) -> Customer:
    """Check identity and password, at the same cost and pace whether or not they are known.

    No connection is held while a hash is computed: a flood of sign-ins must not leave everybody
    else without one.
    """
    named = _typed(identity)
    key = _guesses(database, store, named.key if named else identity.strip().casefold())
    network = addresses.neighbourhood(address)
    await budgets.spend(
        database,
        [
            Budget(f"customer-login-from:{network}", *BY_ADDRESS),
            *(Budget(key, *limit) for limit in BY_IDENTITY),
        ],
    )
    customer = None
    if named is not None:
        async with database.reading() as db:
            customer = await queries.owner(db, store.company, store.uuid, named)
    known = customer.password_hash if customer else None
    if not await hasher.verify(known, password) or customer is None:
        raise CredentialsInvalid
    async with database.apart() as db:
        await budgets.refund(db, key)
    return customer


def _guesses(database: Database, store: Store, key: str) -> str:
    """Name what is counted of an identity's guesses, without telling the identity."""
    text = f"customer-login:{store.uuid}:{key}"
    return database.keys.sign("customer login", text.encode()).hex()


async def sign_in(
    db: Db, hasher: Passwords, store: Store, customer: Customer, password: str, origin: Origin
) -> SignedIn:
    """Open a session for a customer whose password was right, unless it was changed meanwhile."""
    try:
        row = await queries.take(db, store.company, store.uuid, customer.uuid)
    except NotFound:
        raise CredentialsInvalid from None
    if row.password_hash is None or row.password_hash != customer.password_hash:
        raise CredentialsInvalid
    if hasher.needs_rehash(row.password_hash):
        await db.update("customers", row.uuid, password_hash=await hasher.hash(password))
    return await sessions.open_session(db, row, "password", origin)


def _typed(identity: str) -> Named | None:
    try:
        return identities.read(identity)
    except Invalid:
        return None


async def change(
    db: Db, hasher: Passwords, shopper: Shopper, customer: Customer, given: CustomerChange
) -> Customer:
    """Change what customers may change of themselves; a new password ends other sign-ins."""
    wanted = given_fields(given)
    wanted.pop("current_password", None)
    if "meta" in wanted:
        wanted["meta"] = checked("meta", fields.bounded, wanted["meta"])
    if "password" in wanted:
        password = wanted.pop("password")
        await _check_present(db, hasher, shopper, customer, given)
        context = [customer.name, customer.email or "", customer.phone or ""]
        check_password(password, context)
        wanted["password_hash"] = await hasher.hash(password)
        await tokens.revoke_all(db, shopper.holder, by="password change", but=shopper.token)
    saved, _ = await CUSTOMERS.change(db, customer, **wanted)
    if "name" in wanted:
        await db.update("contacts", customer.contact, name=saved.name)
    return saved


async def _check_present(
    db: Db, hasher: Passwords, shopper: Shopper, customer: Customer, given: CustomerChange
) -> None:
    """See that whoever sets a password has the present one, or has just signed in."""
    if customer.password_hash is None:
        if shopper.signed_in_at + FRESH < db.now:
            raise FreshSignInRequired
        return
    present = given.current_password if isinstance(given.current_password, str) else ""
    key = f"customer-password:{customer.uuid}"
    await budgets.spend(db.database, [Budget(key, *limit) for limit in BY_IDENTITY])
    if not await hasher.verify(customer.password_hash, present):
        raise Invalid(fields=[Field("current_password", "This is not the present password.")])
    await budgets.refund(db, key)


async def reset_password(
    db: Db, hasher: Passwords, store: Store, identity: Named, code: str, password: str
) -> None:
    """Set a new password with a code; every sign-in ends, because somebody may have the old one."""
    check_password(password, [identity.text])
    await check_code(db, store, RESET, identity, code)
    customer = await queries.owner(db, store.company, store.uuid, identity, lock="for update")
    if customer is None:
        raise CodeInvalid
    hashed = await hasher.hash(password)
    await CUSTOMERS.change(db, customer, password_hash=hashed, phone_wanted=None)
    await tokens.revoke_all(db, sessions.holder(customer), by="password reset")


async def request_reset(db: Db, store: Store, identity: Named, *, address: str) -> Requested:
    """Send a code to reset the password with, if there is such a customer."""
    customer = await queries.owner(db, store.company, store.uuid, identity)
    return await request_code(db, store, RESET, identity, address=address, quiet=customer is None)


async def request_phone(
    db: Db, store: Store, customer: Customer, number: str, *, address: str
) -> Requested:
    """Send a code to the number that a customer wants to have."""
    identity = identities.of_phone(number)
    await CUSTOMERS.change(db, customer, phone_wanted=identity.text)
    return await request_code(db, store, _phone_purpose(customer), identity, address=address)


async def verify_phone(db: Db, store: Store, customer: Customer, code: str) -> Customer:
    """Give a customer the number whose code they have; the old one is told."""
    if customer.phone_wanted is None:
        raise CodeInvalid
    identity = identities.of_phone(customer.phone_wanted)
    await check_code(db, store, _phone_purpose(customer), identity, code)
    owner = await queries.owner(db, store.company, store.uuid, identity)
    if owner is not None and owner.uuid != customer.uuid:
        raise CustomerExists
    await strip(db, store, identity)
    # Stripped rows changed below us; ours may be one of them.
    customer = await queries.take(db, store.company, store.uuid, customer.uuid)
    old = customer.phone if customer.phone_verified_at is not None else None
    try:
        saved, _ = await CUSTOMERS.change(
            db,
            customer,
            phone=identity.text,
            phone_verified_at=db.now,
            phone_wanted=None,
            former=formerly(customer, old),
        )
    except asyncpg.UniqueViolationError:
        raise CustomerExists from None
    await db.update("contacts", customer.contact, phone=identity.text)
    if old is not None and old != identity.text:
        await _tell_old(db, store, old)
    return saved


def formerly(customer: Customer, *left: str | None) -> list[str]:
    """Add what somebody leaves behind to where messages reached them before, the latest last."""
    known = [*customer.former, *(each for each in left if each is not None)]
    return list(dict.fromkeys(known))[-MOST_FORMER:]


async def _tell_old(db: Db, store: Store, old: str) -> None:
    brand = (await company_settings.of(db, store.company, store.uuid)).branding.name
    sentence = f"Your phone number at {brand} was changed. Was it not you? Contact them now."
    await notifications.send(db, store.company, "sms", old, sentence, store=store.uuid)


def _phone_purpose(customer: Customer) -> str:
    return f"phone:{customer.uuid}"
