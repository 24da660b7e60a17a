"""Sign-ins of customers."""

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

# Who is right is not slowed by guesses, but signs in and has passwords looked at no more often:
# each costs a row or a tenth of a second, of which everybody's sign-ins have but a few.
SIGN_INS: Final = (100, timedelta(hours=1))
PASSWORDS: Final = (100, timedelta(hours=1))


class SignedIn(NamedTuple):
    """A customer, the token that is shown once, and the proof that the device keeps."""

    customer: Customer
    text: str
    proof: str


def holder(customer: Customer) -> Holder:
    """Name a customer as tokens do: theirs are good in their own store only."""
    return Holder(customer.company, "customer", customer.uuid, customer.public_id, customer.store)


async def open_session(
    db: Db, customer: Customer, method: str, origin: Origin, *, trusted: bool = False
) -> SignedIn:
    """Sign a customer in.

    Who is only trusted to be the one may be a stranger: what they do is counted by their network.
    """
    who = f"{customer.uuid}:{origin.network}" if trusted else str(customer.uuid)
    counted = Budget(f"customer-sign-ins:{who}", *SIGN_INS)
    await budgets.spend(db.database, await bounded(db, customer.company, counted))
    opened = await tokens.open_token(db, holder(customer), method, origin)
    return SignedIn(customer, opened.text, opened.proof)


async def bounded(db: Db, company: UUID, counted: Budget) -> list[Budget]:
    """Count something that a customer did; on a test company nobody is locked out."""
    settings = await company_settings.of(db, company)
    return [] if settings.mode == "test" else [counted]


def passwords(customer: UUID) -> Budget:
    """Name what is counted of passwords that are looked at or set for a customer.

    Wrong ones are taken back. They are counted as guesses, for each place and sign-in apart: all
    together would use up what the right one has.
    """
    return Budget(f"customer-passwords:{customer}", *PASSWORDS)


async def place(
    db: Db, company: UUID, store: UUID, customer: Customer | None, origin: Origin
) -> Place | None:
    """Tell from where a customer signed in before this is; nobody is looked for all the same."""
    nobody = Holder(company, "customer", db.new_uuid(), "", store)
    return await known.place(db, nobody if customer is None else holder(customer), origin)
