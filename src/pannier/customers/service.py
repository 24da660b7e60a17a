"""Codes, registration and password sign-in of customers."""

from datetime import timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.tokens.known import Origin, Place
from pannier.customers import identities, queries, sessions
from pannier.customers.identities import Named
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerIn
from pannier.customers.sessions import SignedIn
from pannier.db import Database, Db
from pannier.errors import Conflict, Field, Invalid, NotFound, Unauthenticated, checked
from pannier.kit import passwords
from pannier.kit.passwords import Passwords
from pannier.partners import service as partners
from pannier.partners.schemas import ContactIn
from pannier.verification import scopes
from pannier.verification import service as verification
from pannier.verification.models import CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.verification.service import Requested
from pannier.web import attempts, budgets, fields
from pannier.web.budgets import Budget, make_budgets

CREATE, LOGIN, RESET = "create", "login", "reset"
# Wrong passwords per network: in one company, and in the whole installation.
BY_ADDRESS: Final = (100, timedelta(hours=1))
BY_ADDRESS_IN_ALL: Final = (1000, timedelta(hours=1))
BY_IDENTITY: Final = ((10, timedelta(minutes=15)), (50, timedelta(days=1)))
# Passwords hashed for one identity and network before their code is checked.
HASHES: Final = (20, timedelta(hours=1))
# New customers per company and network.
NEW_BY_ADDRESS: Final = (1000, timedelta(hours=1))
MOST_FORMER: Final = 100
# Customers `c` of a store whose phone or address `:key` is unverified.
SAID: Final = """c.company = :company and c.store = :store and c.{column} = :key
              and c.{kind}_verified_at is null"""


class CustomerExists(Conflict):
    """Another customer has this phone number or address. Only its owner can learn that."""

    code, title = "customer_exists", "An account has this phone or e-mail address."
    remedy = "Sign in instead."


class CredentialsInvalid(Unauthenticated):
    """The identity or the password is wrong. The answer does not say which."""

    code, title = "invalid_credentials", "The phone, e-mail address or password is wrong."
    remedy = "Check them and try again."


class Store(msgspec.Struct, frozen=True):
    """The store that a request is about."""

    company: UUID
    uuid: UUID

    @property
    def columns(self) -> dict[str, Any]:
        """The columns that identify the store in a row."""
        return {"company": self.company, "store": self.uuid}

    @property
    def scope(self) -> str:
        """The scope of the store's codes."""
        return scopes.of_store(self.uuid)


def claimant(
    store: Store, purpose: str, identity: Named, address: str, place: Place | None = None
) -> Claimant:
    """Build the claimant for a code in a store."""
    code_scope = CodeScope(store.company, store.scope, purpose, identity.key)
    return Claimant(code_scope, address, place)


async def request_code(
    db: Db,
    store: Store,
    purpose: str,
    identity: Named,
    *,
    address: str,
    place: Place | None = None,
    reserved: bool = False,
    quiet: bool = False,
) -> Requested:
    """Send a code to an identity; a decoy is indistinguishable, but sends nothing."""
    wanted = CodeRequest(
        identity.channel, to=identity.text, store=store.uuid, reserved=reserved, quiet=quiet
    )
    asking = claimant(store, purpose, identity, address, place)
    return await verification.request(db, asking, wanted)


async def request_of_owner(
    db: Db, store: Store, purpose: str, identity: Named, origin: Origin
) -> Requested:
    """Send a code to an identity's owner; the answer does not reveal whether there is one."""
    customer = await queries.owner(db, store.company, store.uuid, identity)
    place = await sessions.place(db, store.company, store.uuid, customer, origin)
    return await request_code(
        db, store, purpose, as_proved(identity, customer),
        address=origin.address, place=place, reserved=True, quiet=customer is None,
    )  # fmt: skip


def as_proved(identity: Named, owner: Customer | None) -> Named:
    """Use the owner's verified spelling of an email address, so that codes go there."""
    if owner is None or owner.email is None or identity.kind == "phone":
        return identity
    return identity._replace(text=owner.email)


async def check_code(
    db: Db,
    store: Store,
    purpose: str,
    identity: Named,
    code: str,
    *,
    address: str,
    place: Place | None = None,
) -> None:
    """Accept the correct code once."""
    giving = claimant(store, purpose, identity, address, place)
    await verification.check(db, giving, code, store=store.uuid)


async def check_of_owner(
    db: Db, store: Store, purpose: str, identity: Named, code: str, origin: Origin
) -> None:
    """Accept the correct code of an identity's owner once."""
    customer = await queries.owner(db, store.company, store.uuid, identity)
    place = await sessions.place(db, store.company, store.uuid, customer, origin)
    await check_code(db, store, purpose, identity, code, address=origin.address, place=place)


async def hashed(
    database: Database, hasher: Passwords, store: Store, given: CustomerIn, origin: Origin
) -> str | None:
    """Hash a new customer's password, if there is one and a code is pending.

    No connection is held meanwhile, and without a pending code nothing is hashed.
    """
    if given.password is None:
        return None
    check_password(given.password, [given.name, given.email or "", given.phone or ""])
    async with database.reading() as db:
        proved = await _coded(db, store, _named(given), given)
        giving = claimant(store, CREATE, proved, origin.address)
        awaited = await verification.is_code_awaited(db, giving, store=store.uuid)
    if not awaited:
        return None
    await count_hash(database, store, proved, origin.network)
    return await hasher.hash(given.password)


async def count_hash(database: Database, store: Store, identity: Named, place: str) -> None:
    """Spend the budget for hashing a password before its code is checked.

    Parallel requests would all be hashed before the first wrong code counts. Strangers spend their
    own budget: the code's owner uses another network, or a device with a proof.
    """
    who = database.keys.sign("customer hash", f"{store.uuid}:{identity.key}".encode()).hex()
    counted = Budget(f"customer-hashes:{who}:{place}", *HASHES)
    async with database.reading() as db:
        spent = await sessions.bounded(db, store.company, counted)
    await budgets.spend(database, spent)


def require_hashed(hashed: str | None) -> None:
    """Retry the transaction when the code only became pending after the hashing step."""
    if hashed is None:
        raise asyncpg.SerializationError("The code was requested after the hashing step.")


async def register(
    db: Db, store: Store, given: CustomerIn, password_hash: str | None, origin: Origin
) -> SignedIn:
    """Create and sign in a customer who has the code that was sent to their phone or address."""
    named = _named(given)
    meta = checked("meta", fields.bounded, given.meta or {})
    proved = await _coded(db, store, named, given)
    await check_code(db, store, CREATE, proved, given.code, address=origin.address)
    if given.password is not None:
        require_hashed(password_hash)
    if await queries.owner(db, store.company, store.uuid, proved) is not None:
        raise CustomerExists
    await count_new(db, store, origin)
    customer = await take_in(
        db, store, given.name, proved, others=named, password_hash=password_hash, meta=meta
    )
    return await sessions.open_session(db, customer, proved.channel, origin)


def _named(given: CustomerIn) -> list[Named]:
    """Parse the identities of a new customer."""
    found = []
    if given.phone:
        found.append(identities.of_phone(given.phone))
    if given.email:
        found.append(identities.of_email(given.email))
    if given.identity:
        extra = identities.read(given.identity)
        found += [] if extra in found else [extra]
    if not found:
        raise Invalid(
            fields=[Field("phone", "Send the `phone` or `email` that received the code.")]
        )
    return found


async def _coded(db: Db, store: Store, named: list[Named], given: CustomerIn) -> Named:
    """Return the identity that received the code: the explicit one, or the latest requested."""
    if given.identity:
        return identities.read(given.identity)
    keys = [identity.key for identity in named]
    asked = await verification.asked_last(db, store.company, store.scope, CREATE, keys)
    return next((identity for identity in named if identity.key == asked), named[0])


def check_password(password: str, context: list[str]) -> None:
    """Reject a weak password."""
    words = [word for word in context if word]
    checked("password", lambda raw: passwords.check_policy(raw, context=words), password)


async def count_new(db: Db, store: Store, origin: Origin) -> None:
    """Spend the network's budget of new customers, because trusted claims need no code."""
    counted = Budget(f"customers-from:{store.company}:{origin.network}", *NEW_BY_ADDRESS)
    await budgets.spend(db.database, await sessions.bounded(db, store.company, counted))


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
    """Create a customer; only the proved identity is stored as verified."""
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
    """Return the columns that store an identity."""
    if identity.kind == "phone":
        return {"phone": identity.text}
    return {"email": identity.text, "email_key": identity.key}


async def strip(db: Db, store: Store, identity: Named) -> None:
    """Remove a newly proved identity from customers who have it unverified.

    Their contacts lose it too, or messages about their orders would go to the new owner.
    """
    column = "phone" if identity.kind == "phone" else "email_key"
    nothing = ", ".join(f"{name} = null" for name in dict.fromkeys((identity.kind, column)))
    claimed = SAID.format(column=column, kind=identity.kind)
    rows = await db.tuples(
        f"select uuid, contact, {identity.kind} from customers c where {claimed} for no key update",
        **store.columns,
        key=identity.key,
    )
    contacts = {contact: text for _, contact, text in rows}
    await partners.clear_addresses(db, store.company, identity.kind, contacts)
    await db.execute(
        f"""update customers set {nothing}, updated_at = :now, version = version + 1
            where company = :company and uuid = any(:uuids)""",
        company=store.company,
        uuids=[uuid for uuid, _, _ in rows],
        now=db.now,
    )


class Recognised(NamedTuple):
    """The customer whose password was correct, and its new hash if the old one is outdated."""

    customer: Customer
    rehash: str | None


async def recognise(
    database: Database,
    hasher: Passwords,
    store: Store,
    identity: str,
    password: str,
    origin: Origin,
) -> Recognised:
    """Check identity and password, at the same cost and rate whether or not the identity is known.

    No connection is held while a hash is computed, so many sign-ins cannot exhaust the pool.
    """
    named = _read_identity(identity)
    async with database.reading() as db:
        owner = named and await queries.owner(db, store.company, store.uuid, named)
        place = await sessions.place(db, store.company, store.uuid, owner, origin)
        checks = sessions.passwords(db.new_uuid() if owner is None else owner.uuid)
        right = await sessions.bounded(db, store.company, checks)
    typed = named.key if named else identity.strip().casefold()
    guesses = _guesses(database, store, typed, place)
    wrong = make_budgets(guesses, BY_IDENTITY)
    if place is None or not place.proved:
        wrong += _from_network(store, origin)
    attempt = await attempts.begin(database, wrong, right)
    kept = owner.password_hash if owner else None
    if not await hasher.verify(kept, password) or owner is None or kept is None:
        await attempt.fail()
        raise CredentialsInvalid
    await attempt.succeed(forgive=place and guesses)
    return Recognised(owner, await hasher.rehash(kept, password))


def _from_network(store: Store, origin: Origin) -> list[Budget]:
    """Return a network's budgets: one per company, so that attacks elsewhere lock nobody out here.

    A second one limits password checks across all companies.
    """
    key = f"customer-login-from:{origin.network}"
    return [Budget(f"{key}:{store.company}", *BY_ADDRESS), Budget(key, *BY_ADDRESS_IN_ALL)]


def _guesses(database: Database, store: Store, key: str, place: Place | None) -> str:
    """Return the key of the budget of guesses, without revealing the identity.

    Guesses from a known device have their own budget, separate from all strangers'.
    """
    text = f"customer-login:{store.uuid}:{key if place is None else place.name}"
    return database.keys.sign("customer login", text.encode()).hex()


async def sign_in(db: Db, store: Store, recognised: Recognised, origin: Origin) -> SignedIn:
    """Open a session after a correct password, unless the password has changed meanwhile."""
    customer = recognised.customer
    try:
        row = await queries.take(db, store.company, store.uuid, customer.uuid)
    except NotFound:
        raise CredentialsInvalid from None
    if row.password_hash is None:
        raise CredentialsInvalid
    if row.password_hash != customer.password_hash:
        if recognised.rehash is None:
            raise CredentialsInvalid
        # Another sign-in may have rehashed the same password; the retry finds out.
        raise asyncpg.SerializationError("The password was rehashed or changed.")
    if recognised.rehash is not None:
        await db.update("customers", row.uuid, password_hash=recognised.rehash)
    return await sessions.open_session(db, row, "password", origin)


def _read_identity(identity: str) -> Named | None:
    try:
        return identities.read(identity)
    except Invalid:
        return None


def formerly(customer: Customer, *left: str | None) -> list[str]:
    """Append removed identities to the customer's former ones, latest last."""
    known = [*customer.former, *(each for each in left if each is not None)]
    return list(dict.fromkeys(known))[-MOST_FORMER:]
