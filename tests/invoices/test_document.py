"""A document's totals are the sums of its lines, and it reads back as it was written."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pannier.invoices.document import Brand, DocumentLine, InvoiceDocument, Party, sum_lines

DAY = date(2026, 3, 2)
AMOUNTS = st.integers(-(10**12), 10**12)
RATES = st.none() | st.sampled_from([Decimal(0), Decimal("8.1"), Decimal(19), Decimal("20.0000")])
LINES = st.lists(
    st.builds(
        DocumentLine,
        position=st.integers(1, 500),
        kind=st.just("quote"),
        description=st.text(max_size=10),
        date=st.just(DAY),
        tax_rate=RATES,
        tax_amount=AMOUNTS,
        amount=AMOUNTS,
    ),
    max_size=20,
)


@given(lines=LINES)
def test_the_taxes_by_rate_add_up_to_the_taxes_of_the_lines(lines: Sequence[DocumentLine]) -> None:
    totals = sum_lines(lines)
    assert totals.net_amount + totals.tax_amount == totals.amount
    assert totals.amount == sum(line.amount for line in lines)
    assert sum(total.tax_amount for total in totals.taxes) == totals.tax_amount
    assert sum(total.net_amount for total in totals.taxes) == totals.net_amount
    assert {total.rate for total in totals.taxes} == {line.tax_rate for line in lines}
    assert len(totals.taxes) == len({total.rate for total in totals.taxes})


@given(lines=LINES)
def test_a_document_reads_back_as_it_was_frozen(lines: Sequence[DocumentLine]) -> None:
    totals = sum_lines(lines)
    document = InvoiceDocument(
        issue_date=DAY,
        currency="EUR",
        seller=Party(name="Velo"),
        buyer=Party(name="Ada", address_lines=("1 Main Street",), country="DE"),
        brand=Brand(name="Velo"),
        lines=tuple(lines),
        due_amount=totals.amount,
        **totals._asdict(),
    )
    assert msgspec.json.decode(msgspec.json.encode(document), type=InvoiceDocument) == document


def test_taxes_are_listed_from_the_highest_rate_to_untaxed_lines() -> None:
    rates = [None, Decimal(0), Decimal(19), Decimal("5.5")]
    lines = [
        DocumentLine(position=1, kind="quote", description="", date=DAY, tax_rate=rate, amount=1)
        for rate in rates
    ]
    listed = [total.rate for total in sum_lines(lines).taxes]
    assert listed == [Decimal(19), Decimal("5.5"), Decimal(0), None]
