"""The ageing list: what each customer still has to pay, by how long it is overdue."""

from datetime import date
from typing import Annotated, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.invoices import queries
from pannier.invoices.schemas import CurrencyIn, InvoiceFilters
from pannier.payments.transactions.models import CustomerType
from pannier.payments.transactions.schemas import Currency, CustomerId

MAX_CUSTOMERS: Final = 1000

Due = Annotated[int, Meta(description="In whole minor units.", examples=[1496])]


class AgeingFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of the ageing list."""

    customer: Annotated[CustomerId | None, Meta(description="Filter by customer.")] = None
    currency: CurrencyIn | None = None


class AgeingOut(msgspec.Struct, kw_only=True):
    """What a customer still has to pay in one currency, by days since the due date."""

    customer: CustomerId
    customer_type: CustomerType
    name: Annotated[str, Meta(description="Its present name.", examples=["Ada Lovelace"])]
    currency: Currency
    invoices: Annotated[int, Meta(description="The number of open invoices.", examples=[2])]
    not_due: Due
    days_1_30: Due
    days_31_60: Due
    days_61_90: Due
    over_90_days: Due
    total: Due
    oldest_due_date: Annotated[date | None, Meta(examples=["2026-01-29"])]


async def load_ageing(db: Db, company: UUID, filters: AgeingFilters) -> list[AgeingOut]:
    """Load the ageing list, the customers with the oldest due date first."""
    selection = InvoiceFilters(customer=filters.customer, currency=filters.currency)
    where = await queries.select_invoices(db, company, selection)
    where.add("open_amount > 0", today=await queries.get_today(db, company))
    return await db.fetch_all(
        AgeingOut,
        f"""select coalesce(c.public_id, v.public_id) as customer, i.customer_type,
                coalesce(c.name, v.name) as name, i.currency, count(*)::int as invoices,
                {_sum("i.due_date is null or i.due_date >= :today")} as not_due,
                {_sum_days(1, 30)} as days_1_30, {_sum_days(31, 60)} as days_31_60,
                {_sum_days(61, 90)} as days_61_90,
                {_sum(":today::date - i.due_date > 90")} as over_90_days,
                sum(i.open_amount)::bigint as total, min(i.due_date) as oldest_due_date
            from (select customer, customer_type, currency, due_date, open_amount
                  from invoices {where}) i
            left join contacts c on i.customer_type = 'contact' and c.uuid = i.customer
            left join vendors v on i.customer_type = 'vendor' and v.uuid = i.customer
            group by 1, 2, 3, 4 order by min(i.due_date), 3, 1, 4 limit {MAX_CUSTOMERS}""",
        **where.values,
    )


def _sum(condition: str) -> str:
    return f"coalesce(sum(i.open_amount) filter (where {condition}), 0)::bigint"


def _sum_days(first: int, last: int) -> str:
    return _sum(f":today::date - i.due_date between {first} and {last}")
