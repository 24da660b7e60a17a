"""Customer sessions."""

from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.tokens import device_proofs
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.device_proofs import KnownOrigin, SigninOrigin
from pannier.accounts.tokens.models import Holder
from pannier.customers.models import Customer
from pannier.db import Db
from pannier.web import budgets
from pannier.web.budgets import Budget

# Wrong guesses do not slow the owner down. Sign-ins and password checks are limited anyway: each
# costs a row or a tenth of a second of shared capacity.
SIGN_IN_LIMIT: Final = (100, timedelta(hours=1))
PASSWORD_CHECK_LIMIT: Final = (100, timedelta(hours=1))


class CustomerSession(NamedTuple):
    """A customer, their new token, and the proof that the device keeps."""

    customer: Customer
    token: str
    device_proof: str


def make_token_holder(customer: Customer) -> Holder:
    """Make the token holder of a customer. Their tokens are valid only in their store."""
    return Holder(customer.company, "customer", customer.uuid, customer.public_id, customer.store)


async def open_session(
    db: Db, customer: Customer, method: str, origin: SigninOrigin, *, trusted: bool = False
) -> CustomerSession:
    """Sign a customer in.

    A sign-in without proof may be a stranger's, so its budget is separate for each network.
    """
    budget_name = f"{customer.uuid}:{origin.network}" if trusted else str(customer.uuid)
    budget = Budget(f"customer-sign-ins:{budget_name}", *SIGN_IN_LIMIT)
    await budgets.spend(db.database, await choose_budgets(db, customer.company, budget))
    token = await tokens.create_token(db, make_token_holder(customer), method, origin)
    return CustomerSession(customer, token.text, token.proof)


async def choose_budgets(db: Db, company: UUID, budget: Budget) -> list[Budget]:
    """Return the budget as a list, or none for a test company, where nobody is locked out."""
    settings = await company_settings.load(db, company)
    return [] if settings.mode == "test" else [budget]


def make_password_budget(customer: UUID) -> Budget:
    """Make the budget for checking or setting a customer's password.

    Wrong passwords are refunded here. They spend other budgets, separate for each device and
    sign-in; a shared one would let attackers lock the owner out.
    """
    return Budget(f"customer-passwords:{customer}", *PASSWORD_CHECK_LIMIT)


async def find_known_origin(
    db: Db, company: UUID, store: UUID, customer: Customer | None, origin: SigninOrigin
) -> KnownOrigin | None:
    """Find the known device of a request. An unknown customer costs the same work."""
    placeholder = Holder(company, "customer", db.new_uuid(), "", store)
    return await device_proofs.find_known_origin(
        db, placeholder if customer is None else make_token_holder(customer), origin
    )
