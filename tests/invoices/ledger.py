"""What holds in the documents at any moment. Each rule is a query that finds what breaks it."""

from typing import Final

from stage import House

REVENUE: Final = """case when t.voided_at is not null then 0 else greatest(0,
    least(t.amount, t.amount_paid - t.amount_refunded + t.balance)) end"""
RULES: Final = {
    "The lines of a document add up to it.": """
        select i.public_id from invoices i left join invoice_lines l on l.invoice = i.uuid
        group by i.uuid having coalesce(sum(l.amount), 0) <> i.amount
            or coalesce(sum(l.tax_amount), 0) <> i.tax_amount""",
    "The numbers of a series have no gaps.": """
        select s.series from invoice_series s left join invoices i on i.company = s.company
            and i.number ~ ('^' || s.series || '[0-9]+$')
        group by s.company, s.series having count(i.uuid) <> s.last_number
            or max(substr(i.number, length(s.series) + 1)::integer) <> s.last_number""",
    "Every issued document is in a series, and is frozen.": """
        select i.public_id from invoices i left join invoice_documents d on d.invoice = i.uuid
        where i.state = 'issued' and (d.invoice is null or not exists (
            select from invoice_series s
            where s.company = i.company and i.number ~ ('^' || s.series || '[0-9]+$')))""",
    "The frozen contents say what the document says.": """
        select i.public_id from invoices i join invoice_documents d on d.invoice = i.uuid,
            lateral (select coalesce(sum((l ->> 'amount')::bigint), 0) as amount,
                         coalesce(sum(coalesce((l ->> 'tax_amount')::bigint, 0)), 0) as tax
                     from jsonb_array_elements(d.document -> 'lines') l) lines,
            lateral (select coalesce(sum((t ->> 'tax_amount')::bigint), 0) as tax,
                         coalesce(sum((t ->> 'net_amount')::bigint), 0) as net
                     from jsonb_array_elements(d.document -> 'taxes') t) taxes
        where d.document ->> 'number' <> i.number or lines.amount <> i.amount
            or lines.tax <> i.tax_amount or taxes.tax <> i.tax_amount
            or taxes.net <> i.amount - i.tax_amount
            or (d.document ->> 'amount')::bigint <> i.amount""",
    "No charge is on a customer's documents twice.": """
        select c.public_id from charges c join invoice_lines l on l.charge = c.uuid
        group by c.uuid, l.customer
        having abs(sum(l.amount)) > abs(c.amount) or sum(l.amount) * c.amount < 0
            or abs(sum(l.tax_amount)) > abs(c.tax_amount)""",
    "A credit note never takes back more than its line.": """
        select l.public_id from invoice_lines l join invoice_lines c on c.credits = l.uuid
        group by l.uuid having abs(sum(c.amount)) > abs(l.amount)
            or sum(c.amount) * l.amount > 0 or abs(sum(c.tax_amount)) > abs(l.tax_amount)""",
    "Credit notes never take back more than the invoice.": """
        select public_id from invoices where credited_amount > greatest(0, amount)""",
    "What is open of an invoice is open of its transactions.": """
        select i.public_id from invoices i left join invoice_shares s on s.invoice = i.uuid
        group by i.uuid having coalesce(sum(s.open_amount), 0) <> i.open_amount""",
    "The parts of a document add up to it, less its credit notes.": """
        select i.public_id from invoices i
        where i.state = 'issued' and not (i.kind = 'credit_note' and exists (
            select from invoice_lines l where l.invoice = i.uuid and l.credits is not null))
          and (select sum(amount) from invoice_shares s where s.invoice = i.uuid)
            <> (select sum(l.amount) + coalesce(sum((select sum(c.amount) from invoice_lines c
                    where c.credits = l.uuid)), 0)
                from invoice_lines l where l.invoice = i.uuid)""",
    "Nobody is asked to pay more than is owed.": """
        select t.public_id from transactions t join invoice_shares s on s.transaction = t.uuid
        group by t.uuid having sum(s.open_amount) > greatest(0, t.balance)""",
}
# What holds once everything is issued.
COMPLETE: Final = {
    "A customer's documents about a transaction are what it brings in.": f"""
        select t.public_id, d.total from transactions t left join (
            select transaction, customer, sum(amount) as total from invoice_lines
            group by transaction, customer) d on d.transaction = t.uuid
        where t.customer is not null and case
            when d.customer is null then {REVENUE} <> 0
            when d.customer = t.customer then d.total <> {REVENUE}
            else d.total <> 0 end""",
    "The documents of a customer and a currency are what their transactions bring in.": f"""
        select d.customer::text from (
            select l.customer, t.currency, sum(l.amount) as total from invoice_lines l
            join transactions t on t.uuid = l.transaction group by 1, 2) d
        left join (
            select t.customer, t.currency, sum({REVENUE}) as total from transactions t
            group by 1, 2) r on r.customer = d.customer and r.currency = d.currency
        where coalesce(r.total, 0) <> d.total""",
    "All that is owed is open on an invoice.": """
        select t.public_id from transactions t left join invoice_shares s
            on s.transaction = t.uuid and s.customer = t.customer
        where t.customer is not null and t.status <> 'refunded'
        group by t.uuid having coalesce(sum(s.open_amount), 0) <> greatest(0, t.balance)""",
}


async def check_documents(house: House, rules: dict[str, str] = RULES) -> None:
    """Check that every rule holds."""
    async with house.database.transaction() as db:
        for rule, query in rules.items():
            broken = await db.fetch_tuples(query)
            assert not broken, f"{rule} {broken}"
