"""Recent authentication: changes to sign-in methods need a recent proof of identity.

A token may be stolen. So changing a phone, an address, a password or a provider requires a recent
sign-in, a code sent to a verified identity, or the password.
"""

from datetime import timedelta
from typing import Final

from pannier.accounts.tokens import service as tokens
from pannier.customers import closure, service, sessions
from pannier.customers.auth import Shopper
from pannier.customers.models import Customer
from pannier.customers.password_signin import WRONG_PASSWORDS_PER_IDENTITY
from pannier.customers.queries import CUSTOMERS
from pannier.customers.service import StoreRef
from pannier.db import Database, Db
from pannier.errors import FieldError, Forbidden, Invalid
from pannier.kit.passwords import Passwords
from pannier.verification.service import CodeTiming
from pannier.web import attempts
from pannier.web.budgets import make_budgets

CODE_PURPOSE: Final = "confirm"
VALIDITY: Final = timedelta(minutes=10)
MISMATCH_MESSAGE: Final = "This is not the current password."
# The method of sign-ins that were accepted without proof.
UNVERIFIED_METHOD: Final = "provider_c_unproved"


class SignInUnproved(Forbidden):
    """The account was created without proof of identity, which this request requires."""

    code = "sign_in_unproved"
    title = "This sign-in was not verified."
    remedy = "Sign in with a code, a password or a provider's token."


class FreshSignInRequired(Forbidden):
    """The last sign-in or confirmation is too old for this change."""

    code = "fresh_sign_in_required"
    title = "This action requires a recent sign-in."
    remedy = "Confirm your identity with a code or your password, or sign in again."


PROBLEMS: Final = [SignInUnproved, FreshSignInRequired]


def require_proof(shopper: Shopper) -> None:
    """Reject sign-ins without proof of identity."""
    if shopper.method == UNVERIFIED_METHOD:
        raise SignInUnproved


def require_recent_authentication(db: Db, shopper: Shopper) -> None:
    """Reject a customer whose last sign-in or confirmation is not recent."""
    require_proof(shopper)
    if not is_recent(db, shopper):
        raise FreshSignInRequired


def is_recent(db: Db, shopper: Shopper) -> bool:
    """Tell whether the last sign-in or confirmation is recent."""
    return (
        max(shopper.signed_in_at, shopper.confirmed_at or shopper.signed_in_at) > db.now - VALIDITY
    )


def is_confirmed(db: Db, shopper: Shopper) -> bool:
    """Tell whether a confirmation is recent."""
    return shopper.confirmed_at is not None and is_recent(db, shopper)


async def request_code(
    db: Db, store: StoreRef, shopper: Shopper, customer: Customer, *, address: str
) -> CodeTiming:
    """Send a confirmation code to the verified phone or, without one, to the email address."""
    return await service.request_code(
        db, store, _purpose(customer), closure.choose_verified_identity(customer),
        address=address, known_origin=shopper.known_origin, reserved=True,
    )  # fmt: skip


async def confirm_by_code(
    db: Db, store: StoreRef, shopper: Shopper, customer: Customer, code: str, *, address: str
) -> None:
    """Accept the code as recent authentication."""
    await service.check_code(
        db, store, _purpose(customer), closure.choose_verified_identity(customer), code,
        address=address, known_origin=shopper.known_origin,
    )  # fmt: skip
    await tokens.record_confirmation(db, shopper.holder, shopper.token)


async def verify_password(
    database: Database, hasher: Passwords, shopper: Shopper, password: str, *, path: str
) -> str:
    """Verify the current password and return its hash.

    No connection is held while the hash is computed.
    """
    async with database.reading() as db:
        customer = await CUSTOMERS.get(db, shopper.company, shopper.customer)
        budget = sessions.make_password_budget(shopper.customer)
        check_budgets = await sessions.choose_budgets(db, shopper.company, budget)
    # Separate for each sign-in, so that nobody else can use up these attempts.
    key = f"customer-password:{shopper.token}"
    attempt = await attempts.begin(
        database, make_budgets(key, WRONG_PASSWORDS_PER_IDENTITY), check_budgets
    )
    password_hash = customer.password_hash
    if not await hasher.verify(password_hash, password) or password_hash is None:
        await attempt.fail()
        raise Invalid(fields=[FieldError(path, MISMATCH_MESSAGE)])
    await attempt.succeed(forgiven_key=key)
    return password_hash


async def confirm_by_password(
    db: Db, shopper: Shopper, customer: Customer, password_hash: str
) -> None:
    """Accept a verified password as recent authentication, unless it has changed since."""
    if customer.password_hash != password_hash:
        raise Invalid(fields=[FieldError("password", MISMATCH_MESSAGE)])
    await tokens.record_confirmation(db, shopper.holder, shopper.token)


def _purpose(customer: Customer) -> str:
    return f"{CODE_PURPOSE}:{customer.uuid}"
