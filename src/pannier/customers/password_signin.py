"""Sign-in with a password, and the budgets that limit guesses."""

from datetime import timedelta
from typing import Final, NamedTuple

import asyncpg

from pannier.accounts.tokens.device_proofs import KnownOrigin, SigninOrigin
from pannier.customers import identities, queries, sessions
from pannier.customers.identities import PhoneOrEmail
from pannier.customers.models import Customer
from pannier.customers.service import StoreRef
from pannier.customers.sessions import CustomerSession
from pannier.db import Database, Db
from pannier.errors import Invalid, NotFound, Unauthenticated
from pannier.kit.passwords import Passwords
from pannier.web import attempts
from pannier.web.budgets import Budget, make_budgets

# Wrong passwords per network: in one company, and in the whole installation.
WRONG_PASSWORDS_PER_NETWORK: Final = (100, timedelta(hours=1))
WRONG_PASSWORDS_PER_NETWORK_TOTAL: Final = (1000, timedelta(hours=1))
WRONG_PASSWORDS_PER_IDENTITY: Final = ((10, timedelta(minutes=15)), (50, timedelta(days=1)))


class CredentialsInvalid(Unauthenticated):
    """The response does not say which is wrong, to avoid revealing whether the account exists."""

    code, title = "invalid_credentials", "The phone number, email address or password is wrong."
    remedy = "Check them and try again."


class PasswordMatch(NamedTuple):
    """The customer whose password was correct, and its new hash if the old one is outdated."""

    customer: Customer
    new_hash: str | None


async def check_credentials(
    database: Database,
    hasher: Passwords,
    store: StoreRef,
    identity: str,
    password: str,
    origin: SigninOrigin,
) -> PasswordMatch:
    """Check identity and password, at the same cost and rate whether or not the identity is known.

    No connection is held while a hash is computed, so many sign-ins cannot exhaust the pool.
    """
    parsed_identity = _try_parse_identity(identity)
    async with database.reading() as db:
        owner = parsed_identity and await queries.find_owner(
            db, store.company, store.uuid, parsed_identity
        )
        known_origin = await sessions.find_known_origin(
            db, store.company, store.uuid, owner, origin
        )
        check_budget = sessions.make_password_budget(db.new_uuid() if owner is None else owner.uuid)
        success_budgets = await sessions.choose_budgets(db, store.company, check_budget)
    identity_key = parsed_identity.key if parsed_identity else identity.strip().casefold()
    guess_key = _make_guess_key(database, store, identity_key, known_origin)
    failure_budgets = make_budgets(guess_key, WRONG_PASSWORDS_PER_IDENTITY)
    if known_origin is None or not known_origin.proved:
        failure_budgets += _make_network_budgets(store, origin)
    attempt = await attempts.begin(database, failure_budgets, success_budgets)
    password_hash = owner.password_hash if owner else None
    if not await hasher.verify(password_hash, password) or owner is None or password_hash is None:
        await attempt.fail()
        raise CredentialsInvalid
    await attempt.succeed(forgiven_key=known_origin and guess_key)
    return PasswordMatch(owner, await hasher.rehash(password_hash, password))


def _make_network_budgets(store: StoreRef, origin: SigninOrigin) -> list[Budget]:
    """Make a network's budgets: one for this company, and one for the whole installation.

    Attacks on another company then lock nobody out of this one.
    """
    key = f"customer-login-from:{origin.network}"
    return [
        Budget(f"{key}:{store.company}", *WRONG_PASSWORDS_PER_NETWORK),
        Budget(key, *WRONG_PASSWORDS_PER_NETWORK_TOTAL),
    ]


def _make_guess_key(
    database: Database, store: StoreRef, key: str, known_origin: KnownOrigin | None
) -> str:
    """Make the key of the budget for wrong passwords, without revealing the identity.

    A known device has its own budget, separate from that of strangers.
    """
    text = (
        f"customer-login:{store.uuid}:{key if known_origin is None else known_origin.budget_name}"
    )
    return database.keys.sign("customer login", text.encode()).hex()


async def sign_in(
    db: Db, store: StoreRef, match: PasswordMatch, origin: SigninOrigin
) -> CustomerSession:
    """Open a session after a correct password, unless the password has changed since."""
    customer = match.customer
    try:
        row = await queries.lock_customer(db, store.company, store.uuid, customer.uuid)
    except NotFound:
        raise CredentialsInvalid from None
    if row.password_hash is None:
        raise CredentialsInvalid
    if row.password_hash != customer.password_hash:
        if match.new_hash is None:
            raise CredentialsInvalid
        # Another sign-in may have rehashed the same password; the retry finds out.
        raise asyncpg.SerializationError("The password was rehashed or changed.")
    if match.new_hash is not None:
        await db.update("customers", row.uuid, password_hash=match.new_hash)
    return await sessions.open_session(db, row, "password", origin)


def _try_parse_identity(identity: str) -> PhoneOrEmail | None:
    try:
        return identities.parse(identity)
    except Invalid:
        return None
