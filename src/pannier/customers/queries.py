"""Queries of customers. They never return closed accounts."""

from typing import Final
from uuid import UUID

from pannier.customers.identities import PhoneOrEmail
from pannier.customers.models import Customer
from pannier.db import Db, Sort, Table, Where, columns
from pannier.errors import NotFound

SELECT: Final = f"select {columns(Customer)} from customers"

CUSTOMERS: Final = Table(
    "customers",
    Customer,
    secret=frozenset({"password_hash"}),
    sort=Sort(("created_at", "updated_at", "name")),
    search=("name", "email", "phone"),
    by_words=True,
)


def build_active_customer_where(company: UUID, store: UUID) -> Where:
    """Build a condition for a store's customers who can sign in."""
    return CUSTOMERS.where(company).add_equal(store=store).add("closed_at is null")


async def find_owner(
    db: Db, company: UUID, store: UUID, identity: PhoneOrEmail, *, lock: str = ""
) -> Customer | None:
    """Find the customer who has verified the phone or address."""
    where = build_active_customer_where(company, store)
    if identity.kind == "phone":
        where.add("phone = :key and phone_verified_at is not null", key=identity.key)
    else:
        where.add("email_key = :key and email_verified_at is not null", key=identity.key)
    return await db.find(Customer, f"{SELECT} {where} {lock}", **where.values)


async def lock_customer(db: Db, company: UUID, store: UUID, uuid: UUID) -> Customer:
    """Lock a signed-in customer until the transaction ends."""
    where = build_active_customer_where(company, store).add_equal(uuid=uuid)
    customer = await db.find(Customer, f"{SELECT} {where} for update", **where.values)
    if customer is None:
        raise NotFound
    return customer
