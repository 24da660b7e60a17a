"""What holds in the books at any moment. Each rule is a query that finds what breaks it."""

from typing import Final

from stage import House

_OWED: Final = "voided_at is null and status <> 'refunded'"
RULES: Final = {
    "The lines of a transaction add up to its amount.": """
        select t.public_id from transactions t left join charges c on c.transaction = t.uuid
        group by t.uuid having coalesce(sum(c.amount), 0) <> t.amount""",
    "No line contains more tax than money.": """
        select public_id from charges
        where abs(tax_amount) > abs(amount) or tax_amount::numeric * amount < 0""",
    "A transaction is never below zero.": """
        select public_id from transactions where amount < 0""",
    "No refund exceeds what was paid.": """
        select t.public_id from transactions t left join refunds r
            on r.transaction = t.uuid and r.state <> 'failed'
        group by t.uuid having coalesce(sum(r.amount), 0) > t.amount_paid
            or t.amount_refunded > t.amount_paid""",
    "An order owes its price once.": f"""
        select order_uuid::text from transactions where {_OWED} and quote_id is not null
        group by order_uuid having count(*) > 1""",
    "An order whose price is accepted owes it, and no other does.": f"""
        select o.public_id from orders o
        where (o.price_status = 'accepted') <> exists (
            select from transactions where order_uuid = o.uuid and {_OWED}
                and quote_id is not null)""",
    "The balance of an order is that of its transactions.": """
        select o.public_id from orders o left join transactions t on t.order_uuid = o.uuid
        group by o.uuid having coalesce(sum(t.balance), 0) <> o.balance""",
    "A customer pays or keeps the amount, neither more nor less.": f"""
        select public_id from (
            select t.*, t.amount_paid - coalesce((select sum(r.amount) from refunds r
                where r.transaction = t.uuid and r.state in ('wanted', 'pending', 'succeeded')
            ), 0) as kept from transactions t) t
        where case when voided_at is not null then balance <> -kept
            when not ({_OWED}) then balance <> 0
            when amount_paid < amount then balance <> amount - amount_paid
            else balance <> least(0, amount - kept) end""",
    "A transaction that is paid owes nothing.": """
        select public_id from transactions where status = 'paid' and balance > 0""",
    "The status of an order says whether it owes.": """
        select public_id from orders
        where (payment_status in ('unpaid', 'partially_paid')) <> (balance > 0)
            or (payment_status = 'overpaid') <> (balance < 0)""",
    "The debt of an order is in one currency.": f"""
        select order_uuid::text from transactions where {_OWED}
        group by order_uuid having count(distinct currency) > 1""",
}


async def check_books(house: House) -> None:
    """Check that every rule holds."""
    async with house.database.transaction() as db:
        for rule, query in RULES.items():
            broken = await db.fetch_tuples(query)
            assert not broken, f"{rule} {broken}"
