"""Sign-ins of customers."""

from typing import NamedTuple

from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.models import Holder
from pannier.accounts.tokens.service import Origin
from pannier.customers.models import Customer
from pannier.db import Db


class SignedIn(NamedTuple):
    """A customer, and the token that is shown once."""

    customer: Customer
    text: str


def holder(customer: Customer) -> Holder:
    """Name a customer as tokens do: theirs are good in their own store only."""
    return Holder(customer.company, "customer", customer.uuid, customer.public_id, customer.store)


async def open_session(db: Db, customer: Customer, method: str, origin: Origin) -> SignedIn:
    """Sign a customer in."""
    return SignedIn(customer, (await tokens.open_token(db, holder(customer), method, origin)).text)
