"""The rule of what documents say: with any history, they end up at what a transaction brings in."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID, uuid5

from hypothesis import given
from hypothesis import strategies as st

from pannier.invoices.models import LineContent
from pannier.invoices.revenue import (
    Documented,
    TaxedSum,
    compute_revenue,
    list_missing_lines,
    share_balance,
)
from pannier.payments.transactions.models import Charge, Transaction

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
DAY = date(2026, 1, 15)
NAMES = UUID(int=1)
RATES = st.sampled_from([None, Decimal(7), Decimal("25.5")])
# The shares of what is charged that are paid and refunded, in per cent, and whether it is void.
STATES = st.tuples(st.integers(0, 100), st.integers(0, 100), st.booleans())


@st.composite
def charges(draw: st.DrawFn) -> list[Charge]:
    """Some charges and credits, which never add up to less than nothing."""
    found: list[Charge] = []
    for position in range(draw(st.integers(1, 5))):
        total = sum(charge.amount for charge in found)
        amount = draw(st.integers(-total, 10_000))
        rate = draw(RATES)
        part = 0 if rate is None else int(amount * rate / (100 + rate))
        found.append(
            Charge(
                uuid=uuid5(NAMES, str(position)), company=NAMES, created_at=NOON,
                public_id=f"charge_{position}", actor_kind="key", actor_id="", actor_name="",
                transaction=NAMES, position=position, kind="other", code="X", details="X",
                amount=amount, tax_rate=rate, tax_amount=part,
            )
        )  # fmt: skip
    return found


def transaction(parts: Sequence[Charge], state: tuple[int, int, bool]) -> Transaction:
    paid_share, refunded_share, is_void = state
    amount = sum(charge.amount for charge in parts)
    paid = amount * paid_share // 100
    refunded = paid * refunded_share // 100
    balance = 0 if is_void or (paid and refunded == paid) else amount - paid
    return Transaction(
        uuid=NAMES, company=NAMES, created_at=NOON, updated_at=NOON, public_id="transaction_1",
        amount=amount, currency="EUR", status="unpaid", amount_paid=paid, amount_refunded=refunded,
        balance=balance, voided_at=NOON if is_void else None,
    )  # fmt: skip


def documented(lines: Sequence[LineContent]) -> Documented:
    by_charge: dict[UUID, TaxedSum] = defaultdict(TaxedSum)
    sums: tuple[dict[Decimal | None, TaxedSum], ...] = (
        defaultdict(TaxedSum), defaultdict(TaxedSum),
    )  # fmt: skip
    for line in lines:
        kind = sums[line.charge is None]
        kind[line.tax_rate] = kind[line.tax_rate].plus(line.amount, line.tax_amount)
        if line.charge is not None:
            by_charge[line.charge] = by_charge[line.charge].plus(line.amount, line.tax_amount)
    return Documented(by_charge=by_charge, charges=sums[0], corrections=sums[1])


def gathered(
    parts: Sequence[Charge], state: tuple[int, int, bool], lines: list[LineContent], count: int
) -> list[LineContent]:
    """Gather the first charges of a transaction, whose state is that of all."""
    return list_missing_lines(
        transaction(parts, state),
        is_owed=True,
        charges=[(charge, DAY) for charge in parts[:count]],
        documented=documented(lines),
        today=DAY,
    )


@given(
    parts=charges(), history=st.lists(st.tuples(STATES, st.integers(0, 5)), max_size=4), end=STATES
)
def test_documents_end_up_at_what_a_transaction_brings_in(
    parts: list[Charge],
    history: list[tuple[tuple[int, int, bool], int]],
    end: tuple[int, int, bool],
) -> None:
    lines: list[LineContent] = []
    for state, count in history:
        lines += gathered(parts, state, lines, count)
    lines += gathered(parts, end, lines, len(parts))
    revenue = compute_revenue(transaction(parts, end))
    assert sum(line.amount for line in lines) == revenue
    assert gathered(parts, end, lines, len(parts)) == []
    taxes: dict[Decimal | None, int] = defaultdict(int)
    for line in lines:
        taxes[line.tax_rate] += line.tax_amount
    if revenue == sum(charge.amount for charge in parts):
        for charge in parts:
            taxes[charge.tax_rate] -= charge.tax_amount
        assert not any(taxes.values())
    elif revenue == 0:
        assert not any(taxes.values())


@given(parts=charges(), state=STATES)
def test_what_is_refunded_takes_its_share_of_every_tax(
    parts: list[Charge], state: tuple[int, int, bool]
) -> None:
    lines = gathered(parts, state, [], len(parts))
    total, revenue = sum(c.amount for c in parts), compute_revenue(transaction(parts, state))
    for rate in {charge.tax_rate for charge in parts} if total else ():
        tax = sum(line.tax_amount for line in lines if line.tax_rate == rate)
        whole = sum(charge.tax_amount for charge in parts if charge.tax_rate == rate)
        assert abs(tax * total - whole * revenue) <= total


@given(
    balance=st.integers(-1000, 3000),
    amounts=st.lists(st.integers(-500, 1000), max_size=5),
    revenue=st.integers(0, 3000),
)
def test_payments_settle_the_oldest_document_first(
    balance: int, amounts: list[int], revenue: int
) -> None:
    shares = share_balance(balance, amounts, revenue)
    assert all(0 <= share <= max(0, amount) for share, amount in zip(shares, amounts, strict=True))
    assert sum(shares) <= max(0, balance)
    # Before one that is open in part, none is open; after it, all are open.
    states = [share for share, amount in zip(shares, amounts, strict=True) if amount > 0]
    wholes = [amount for amount in amounts if amount > 0]
    begun = next((index for index, share in enumerate(states) if share), len(states))
    assert states[begun + 1 :] == wholes[begun + 1 :]
