"""Codes and registration of customers."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.tokens.device_proofs import KnownOrigin, SigninOrigin
from pannier.customers import identities, queries, sessions
from pannier.customers.identities import PhoneOrEmail
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.customers.schemas import CustomerIn
from pannier.customers.sessions import CustomerSession
from pannier.db import Database, Db
from pannier.errors import Conflict, FieldError, Invalid, parse_field
from pannier.kit import passwords
from pannier.kit.passwords import Passwords
from pannier.partners import service as partners
from pannier.partners.schemas import ContactIn
from pannier.verification import scopes
from pannier.verification import service as verification
from pannier.verification.models import CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.verification.service import CodeTiming
from pannier.web import budgets, fields
from pannier.web.budgets import Budget

CREATE, LOGIN, RESET = "create", "login", "reset"
# Passwords hashed for one identity and network before their code is checked.
HASHES_PER_NETWORK: Final = (20, timedelta(hours=1))
# New customers per company and network.
NEW_CUSTOMERS_PER_NETWORK: Final = (1000, timedelta(hours=1))
MAX_FORMER_IDENTITIES: Final = 100
# Customers `c` of a store whose phone or address `:key` is unverified.
UNVERIFIED_CONDITION: Final = """c.company = :company and c.store = :store and c.{column} = :key
              and c.{kind}_verified_at is null"""


class CustomerExists(Conflict):
    """Another customer of the store has verified this phone number or email address.

    Customers get this error only after proving that the number or address is theirs.
    """

    code, title = "customer_exists", "An account already uses this phone number or email address."
    remedy = "Sign in instead."


class StoreRef(msgspec.Struct, frozen=True):
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
        return scopes.store_scope(self.uuid)


def make_claimant(
    store: StoreRef,
    purpose: str,
    identity: PhoneOrEmail,
    address: str,
    known_origin: KnownOrigin | None = None,
) -> Claimant:
    """Make the claimant for a code in a store."""
    code_scope = CodeScope(store.company, store.scope, purpose, identity.key)
    return Claimant(code_scope, address, known_origin)


async def request_code(
    db: Db,
    store: StoreRef,
    purpose: str,
    identity: PhoneOrEmail,
    *,
    address: str,
    known_origin: KnownOrigin | None = None,
    reserved: bool = False,
    decoy: bool = False,
) -> CodeTiming:
    """Send a code to an identity. A decoy sends nothing, but looks the same to the caller."""
    code_request = CodeRequest(
        identity.channel, recipient=identity.text, store=store.uuid, reserved=reserved, decoy=decoy
    )
    claimant = make_claimant(store, purpose, identity, address, known_origin)
    return await verification.request_code(db, claimant, code_request)


async def request_owner_code(
    db: Db, store: StoreRef, purpose: str, identity: PhoneOrEmail, origin: SigninOrigin
) -> CodeTiming:
    """Send a code to an identity's owner. The response does not reveal whether there is one."""
    customer = await queries.find_owner(db, store.company, store.uuid, identity)
    known_origin = await sessions.find_known_origin(db, store.company, store.uuid, customer, origin)
    return await request_code(
        db, store, purpose, use_verified_spelling(identity, customer),
        address=origin.address, known_origin=known_origin, reserved=True, decoy=customer is None,
    )  # fmt: skip


def use_verified_spelling(identity: PhoneOrEmail, owner: Customer | None) -> PhoneOrEmail:
    """Replace an email address by its owner's verified spelling, so that codes go there."""
    if owner is None or owner.email is None or identity.kind == "phone":
        return identity
    return identity._replace(text=owner.email)


async def check_code(
    db: Db,
    store: StoreRef,
    purpose: str,
    identity: PhoneOrEmail,
    code: str,
    *,
    address: str,
    known_origin: KnownOrigin | None = None,
) -> None:
    """Accept the correct code once."""
    claimant = make_claimant(store, purpose, identity, address, known_origin)
    await verification.check_code(db, claimant, code, store=store.uuid)


async def check_owner_code(
    db: Db, store: StoreRef, purpose: str, identity: PhoneOrEmail, code: str, origin: SigninOrigin
) -> None:
    """Accept the correct code of an identity's owner once."""
    customer = await queries.find_owner(db, store.company, store.uuid, identity)
    known_origin = await sessions.find_known_origin(db, store.company, store.uuid, customer, origin)
    await check_code(
        db, store, purpose, identity, code, address=origin.address, known_origin=known_origin
    )


async def hash_new_password(
    database: Database, hasher: Passwords, store: StoreRef, data: CustomerIn, origin: SigninOrigin
) -> str | None:
    """Hash a new customer's password, if there is one and a code is pending.

    No connection is held meanwhile, and without a pending code nothing is hashed.
    """
    if data.password is None:
        return None
    check_password_policy(data.password, [data.name, data.email or "", data.phone or ""])
    async with database.reading() as db:
        identity = await _find_code_identity(db, store, _parse_identities(data), data)
        claimant = make_claimant(store, CREATE, identity, origin.address)
        is_awaited = await verification.is_code_awaited(db, claimant, store=store.uuid)
    if not is_awaited:
        return None
    await spend_hash_budget(database, store, identity, origin.network)
    return await hasher.hash(data.password)


async def spend_hash_budget(
    database: Database, store: StoreRef, identity: PhoneOrEmail, origin_name: str
) -> None:
    """Spend the budget for hashing a password before its code is checked.

    Parallel requests would all be hashed before the first wrong code counts. Strangers spend their
    own budget: the code's owner uses another network, or a device with a proof.
    """
    pseudonym = database.keys.sign("customer hash", f"{store.uuid}:{identity.key}".encode()).hex()
    budget = Budget(f"customer-hashes:{pseudonym}:{origin_name}", *HASHES_PER_NETWORK)
    async with database.reading() as db:
        hash_budgets = await sessions.choose_budgets(db, store.company, budget)
    await budgets.spend(database, hash_budgets)


def require_password_hash(password_hash: str | None) -> None:
    """Raise a retryable error without a hash: the code was requested after the hashing step."""
    if password_hash is None:
        raise asyncpg.SerializationError("The code was requested after the hashing step.")


async def register_customer(
    db: Db, store: StoreRef, data: CustomerIn, password_hash: str | None, origin: SigninOrigin
) -> CustomerSession:
    """Create a customer after checking the code sent to their phone or address; sign them in."""
    candidates = _parse_identities(data)
    meta = parse_field("meta", fields.check_meta, data.meta or {})
    identity = await _find_code_identity(db, store, candidates, data)
    await check_code(db, store, CREATE, identity, data.code, address=origin.address)
    if data.password is not None:
        require_password_hash(password_hash)
    if await queries.find_owner(db, store.company, store.uuid, identity) is not None:
        raise CustomerExists
    await spend_new_customer_budget(db, store, origin)
    customer = await create_customer(
        db,
        store,
        data.name,
        identity,
        other_identities=candidates,
        password_hash=password_hash,
        meta=meta,
    )
    return await sessions.open_session(db, customer, identity.channel, origin)


def _parse_identities(data: CustomerIn) -> list[PhoneOrEmail]:
    """Parse the identities of a new customer."""
    candidates = []
    if data.phone:
        candidates.append(identities.from_phone(data.phone))
    if data.email:
        candidates.append(identities.from_email(data.email))
    if data.identity:
        identity = identities.parse(data.identity)
        candidates += [] if identity in candidates else [identity]
    if not candidates:
        raise Invalid(
            fields=[FieldError("phone", "Send the `phone` or `email` that received the code.")]
        )
    return candidates


async def _find_code_identity(
    db: Db, store: StoreRef, candidates: list[PhoneOrEmail], data: CustomerIn
) -> PhoneOrEmail:
    """Find the identity that received the code: the explicit one, or the latest requested."""
    if data.identity:
        return identities.parse(data.identity)
    keys = [identity.key for identity in candidates]
    last_key = await verification.find_last_requested_identity(
        db, store.company, store.scope, CREATE, keys
    )
    return next((identity for identity in candidates if identity.key == last_key), candidates[0])


def check_password_policy(password: str, context: list[str]) -> None:
    """Reject a weak password."""
    terms = [term for term in context if term]
    parse_field("password", lambda text: passwords.check_policy(text, context=terms), password)


async def spend_new_customer_budget(db: Db, store: StoreRef, origin: SigninOrigin) -> None:
    """Spend the network's budget for new customers, because trusted claims need no code."""
    budget = Budget(f"customers-from:{store.company}:{origin.network}", *NEW_CUSTOMERS_PER_NETWORK)
    await budgets.spend(db.database, await sessions.choose_budgets(db, store.company, budget))


async def create_customer(
    db: Db,
    store: StoreRef,
    name: str,
    verified_identity: PhoneOrEmail | None,
    *,
    other_identities: list[PhoneOrEmail] = [],  # noqa: B006 - never changed
    password_hash: str | None = None,
    meta: dict[str, Any] | None = None,
) -> Customer:
    """Create a customer. Only `verified_identity` is stored as verified."""
    columns: dict[str, Any] = {}
    for identity in other_identities:
        columns |= make_identity_columns(identity)
    if verified_identity is not None:
        columns |= make_identity_columns(verified_identity)
        columns[f"{verified_identity.kind}_verified_at"] = db.now
        await remove_unverified_identity(db, store, verified_identity)
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


def make_identity_columns(identity: PhoneOrEmail) -> dict[str, Any]:
    """Make the columns that store an identity."""
    if identity.kind == "phone":
        return {"phone": identity.text}
    return {"email": identity.text, "email_key": identity.key}


async def remove_unverified_identity(db: Db, store: StoreRef, identity: PhoneOrEmail) -> None:
    """Remove a newly verified identity from customers on whom it is unverified.

    Their contacts lose it too. Messages about their orders would otherwise go to the new owner.
    """
    column = "phone" if identity.kind == "phone" else "email_key"
    null_columns = ", ".join(f"{name} = null" for name in dict.fromkeys((identity.kind, column)))
    condition = UNVERIFIED_CONDITION.format(column=column, kind=identity.kind)
    rows = await db.fetch_tuples(
        f"""select uuid, contact, {identity.kind} from customers c
            where {condition} for no key update""",
        **store.columns,
        key=identity.key,
    )
    contacts = {contact: text for _, contact, text in rows}
    await partners.clear_addresses(db, store.company, identity.kind, contacts)
    await db.execute(
        f"""update customers set {null_columns}, updated_at = :now, version = version + 1
            where company = :company and uuid = any(:uuids)""",
        company=store.company,
        uuids=[uuid for uuid, _, _ in rows],
        now=db.now,
    )


def append_former_identities(customer: Customer, *removed_identities: str | None) -> list[str]:
    """Append removed identities to the customer's former ones, the latest last."""
    former_identities = [
        *customer.former,
        *(address for address in removed_identities if address is not None),
    ]
    return list(dict.fromkeys(former_identities))[-MAX_FORMER_IDENTITIES:]
