"""What contacts and vendors owe: the balances of their transactions."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, Where
from pannier.partners import queries as partners
from pannier.partners.schemas import BalanceFilter, PartnerPaymentStatus
from pannier.payments.transactions.queries import SIGNS

# Few transactions have a balance, and these have their own index.
_CUSTOMERS: Final = """(select t.customer from transactions t
    where t.company = :company and t.balance <> 0 and t.customer is not null
    group by t.customer, t.currency having sum(t.balance) {sign} 0)"""
_OWING: Final = f"uuid in {_CUSTOMERS.format(sign='>')}"
_CREDITED: Final = f"uuid in {_CUSTOMERS.format(sign='<')}"
_CHARGED: Final = """exists (select from transactions t
    where t.company = :company and t.customer = {table}.uuid)"""
_CONDITIONS: Final[dict[PartnerPaymentStatus, str]] = {
    "none": f"not {_CHARGED}",
    "unpaid": _OWING,
    "paid": f"({_CHARGED} and not {_OWING} and not {_CREDITED})",
    "overpaid": f"({_CREDITED} and not {_OWING})",
}


@partners.load_balances.register
async def load_balances(
    db: Db, company: UUID, customers: Sequence[UUID]
) -> dict[UUID, dict[str, int]]:
    """Load what charged contacts and vendors owe, by currency. Settled currencies are left out."""
    if not customers:
        return {}
    rows = await db.fetch_tuples(
        """select c.uuid, b.currency, b.amount
           from unnest(:customers::uuid[]) as c (uuid) left join (
               select customer, currency, sum(balance)::bigint as amount from transactions
               where company = :company and balance <> 0 and customer = any(:customers)
               group by customer, currency having sum(balance) <> 0) b on b.customer = c.uuid
           where exists (select from transactions t
                         where t.company = :company and t.customer = c.uuid)""",
        company=company,
        customers=list(customers),
    )
    balances: dict[UUID, dict[str, int]] = {customer: {} for customer, _, _ in rows}
    for customer, currency, amount in rows:
        if currency is not None:
            balances[customer][currency] = amount
    return balances


@partners.add_balance_filter.register
async def add_balance_filter(where: Where, balance: BalanceFilter) -> Where:
    """Require that a contact or vendor has a balance of this kind in any currency."""
    return where.add(f"uuid in {_CUSTOMERS.format(sign=SIGNS[balance])}")


@partners.add_payment_status_filter.register
async def add_payment_status_filter(
    where: Where, table: str, statuses: Sequence[PartnerPaymentStatus]
) -> Where:
    """Require that a contact or vendor of the table has one of these payment statuses."""
    conditions = " or ".join(_CONDITIONS[status] for status in statuses)
    return where.add(f"({conditions.format(table=table)})")
