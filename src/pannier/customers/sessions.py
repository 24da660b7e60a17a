"""Customer sessions."""

from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.tokens import known
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.known import Origin, Place
from pannier.accounts.tokens.models import Holder
from pannier.customers.models import Customer
from pannier.db import Db
from pannier.web import budgets
from pannier.web.budgets import Budget

# Wrong guesses do not slow the owner down. Sign-ins and password checks are limited anyway: each
# costs a row or a tenth of a second of shared capacity.
SIGN_INS: Final = (100, timedelta(hours=1))
PASSWORDS: Final = (100, timedelta(hours=1))


class SignedIn(NamedTuple):
    """A customer, their new token, and the proof that the device keeps."""

    customer: Customer
    text: str
    proof: str


def holder(customer: Customer) -> Holder:
    """Return the customer as token holder; their tokens are valid in their own store only."""
    return Holder(customer.company, "customer", customer.uuid, customer.public_id, customer.store)


async def open_session(
    db: Db, customer: Customer, method: str, origin: Origin, *, trusted: bool = False
) -> SignedIn:
    """Sign a customer in.

    A sign-in without proof may be a stranger's, so its budget is separate for each network.
    """
    who = f"{customer.uuid}:{origin.network}" if trusted else str(customer.uuid)
    counted = Budget(f"customer-sign-ins:{who}", *SIGN_INS)
    await budgets.spend(db.database, await bounded(db, customer.company, counted))
    opened = await tokens.open_token(db, holder(customer), method, origin)
    return SignedIn(customer, opened.text, opened.proof)


async def bounded(db: Db, company: UUID, counted: Budget) -> list[Budget]:
    """Return the budget to spend; none on test companies, where nobody is locked out."""
    settings = await company_settings.of(db, company)
    return [] if settings.mode == "test" else [counted]


def passwords(customer: UUID) -> Budget:
    """Return the budget of passwords that are checked or set for a customer.

    Wrong passwords are refunded here. They spend other budgets, separate for each device and
    sign-in; a shared one would let attackers lock the owner out.
    """
    return Budget(f"customer-passwords:{customer}", *PASSWORDS)


async def place(
    db: Db, company: UUID, store: UUID, customer: Customer | None, origin: Origin
) -> Place | None:
    """Find the known device of a request; for an unknown customer, do the same work in vain."""
    nobody = Holder(company, "customer", db.new_uuid(), "", store)
    return await known.place(db, nobody if customer is None else holder(customer), origin)
