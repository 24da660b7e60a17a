"""Closure of accounts: signed out immediately, erased later by `privacy/erasure.py`."""

from datetime import timedelta
from typing import Final

import asyncpg

from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.device_proofs import KnownOrigin
from pannier.customers import departures, service, sessions
from pannier.customers.identities import PhoneOrEmail
from pannier.customers.models import Customer
from pannier.customers.queries import CUSTOMERS
from pannier.customers.service import CustomerExists, StoreRef
from pannier.db import Db
from pannier.errors import Conflict
from pannier.verification import service as verification
from pannier.verification.service import CodeTiming

CODE_PURPOSE: Final = "close"


class NothingVerified(Conflict):
    """The code can be sent only to a verified phone number or email address."""

    code = "no_verified_identity"
    title = "The account has no verified phone number or email address."
    remedy = "Verify one first."


class NotClosed(Conflict):
    """An account can be restored between its closure and the start of its erasure."""

    code = "customer_not_closed"
    title = "The account is not closed, or erasure has begun."
    remedy = "See the customer's `closed_at` and `erase_at`."


def choose_verified_identity(customer: Customer) -> PhoneOrEmail:
    """Choose the identity that receives codes: the verified phone, else the verified address."""
    if customer.phone is not None and customer.phone_verified_at is not None:
        return PhoneOrEmail("phone", customer.phone, customer.phone)
    if customer.email is not None and customer.email_verified_at is not None:
        return PhoneOrEmail("email", customer.email, customer.email_key or customer.email)
    raise NothingVerified


async def request_code(
    db: Db, store: StoreRef, customer: Customer, *, address: str, known_origin: KnownOrigin
) -> CodeTiming:
    """Send the code that confirms a closure."""
    purpose = f"{CODE_PURPOSE}:{customer.uuid}"
    return await service.request_code(
        db,
        store,
        purpose,
        choose_verified_identity(customer),
        address=address,
        known_origin=known_origin,
        reserved=True,
    )


async def confirm_closure(
    db: Db, store: StoreRef, customer: Customer, code: str, *,
    reason: str | None, grace: timedelta, address: str, known_origin: KnownOrigin,
) -> Customer:  # fmt: skip
    """Close an account with its code."""
    purpose = f"{CODE_PURPOSE}:{customer.uuid}"
    await service.check_code(
        db,
        store,
        purpose,
        choose_verified_identity(customer),
        code,
        address=address,
        known_origin=known_origin,
    )
    return await close_account(db, customer, reason=reason, grace=grace, closed_by="closure")


async def close_account(
    db: Db, customer: Customer, *, reason: str | None, grace: timedelta, closed_by: str
) -> Customer:
    """Close an account; its tokens, devices, codes and provider links are deleted."""
    if customer.closed_at is not None:
        return customer
    closed_customer, _ = await CUSTOMERS.change(
        db, customer, log_action="closed", closed_at=db.now, close_reason=reason,
        erase_at=db.now + grace, password_hash=None, phone_wanted=None, email_wanted=None,
    )  # fmt: skip
    await tokens.revoke_all_tokens(db, sessions.make_token_holder(customer), revoked_by=closed_by)
    await departures.unlink_providers(db, customer)
    await db.execute(
        "delete from customer_devices where company = :company and customer = :customer",
        company=customer.company,
        customer=customer.uuid,
    )
    store = StoreRef(customer.company, customer.store)
    for key in (customer.phone, customer.email_key):
        if key is not None:
            await verification.close_challenges(db, store.company, store.scope, key)
    return closed_customer


async def restore_account(db: Db, customer: Customer) -> Customer:
    """Reopen a closed account, unless erasure has begun or somebody else verified its identity."""
    if customer.closed_at is None or customer.erased_order or customer.erased_at is not None:
        raise NotClosed
    try:
        restored_customer, _ = await CUSTOMERS.change(
            db, customer, log_action="restored", closed_at=None, close_reason=None, erase_at=None
        )
    except asyncpg.UniqueViolationError:
        raise CustomerExists from None
    return restored_customer
