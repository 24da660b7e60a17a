"""Queries for customers' accounts at gateways."""

from uuid import UUID

from pannier.db import Db
from pannier.payments.models import GatewayAccountStatus, PaymentCustomer


async def load_account_status(
    db: Db, company: UUID, customer: UUID, gateway: str
) -> GatewayAccountStatus:
    """Load the company's mode, and the customer's account if there is one."""
    return await db.get(
        GatewayAccountStatus,
        """select c.mode, p.account from companies c left join payment_customers p
               on p.company = c.uuid and p.customer = :customer and p.gateway = :gateway
           where c.uuid = :company""",
        company=company,
        customer=customer,
        gateway=gateway,
    )


async def save_account(db: Db, company: UUID, row: PaymentCustomer, *, replaced: str | None) -> str:
    """Save an account, replacing a deleted one. Return the account that was saved first."""
    values = {name: getattr(row, name) for name in row.__struct_fields__} | {"company": company}
    await db.execute(
        """update payment_customers set account = :account, created_at = :created_at
           where company = :company and customer = :customer and gateway = :gateway
             and account = :gone""",
        **values,
        gone=replaced,
    )
    await db.execute(
        """insert into payment_customers (company, customer, gateway, account, created_at)
           values (:company, :customer, :gateway, :account, :created_at) on conflict do nothing""",
        **values,
    )
    account_status = await load_account_status(db, company, row.customer, row.gateway)
    if account_status.account is None:
        raise RuntimeError("The gateway returned another customer's account.")
    return account_status.account
