"""What an undelivered order costs: never less than nothing, never more than was owed."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from pannier.accounts.company_settings import rules
from pannier.kit import tax
from pannier.kit.money import MAX_AMOUNT
from pannier.payments.settlement import (
    GatewayFact,
    WantedRefund,
    compute_settlement,
    derive_status,
    distribute_refund,
)
from pannier.payments.transactions.endings import compute_fee
from pannier.payments.transactions.lines import split_by_tax
from pannier.payments.transactions.models import ChargeLine

AMOUNTS = st.integers(0, MAX_AMOUNT)
PERCENTS = st.decimals(0, 100, places=2).map(lambda share: f"{share}%")
FEES = st.one_of(st.integers(0, MAX_AMOUNT), PERCENTS).map(rules.parse_fee)


@given(AMOUNTS, FEES)
def test_a_return_costs_between_nothing_and_the_price(amount: int, fee: int | str) -> None:
    assert 0 <= compute_fee(amount, fee) <= amount


@given(AMOUNTS)
def test_a_share_of_all_is_the_price_and_of_none_is_nothing(amount: int) -> None:
    assert compute_fee(amount, "100%") == amount
    assert compute_fee(amount, "0%") == 0


@given(AMOUNTS, st.integers(0, 10_000))
def test_a_share_is_off_by_half_a_minor_unit_at_most(amount: int, hundredths: int) -> None:
    charged = compute_fee(amount, rules.parse_fee(f"{hundredths // 100}.{hundredths % 100:02}%"))
    assert abs(charged * 10_000 - amount * hundredths) <= 5_000


@given(AMOUNTS, FEES, st.data())
def test_a_paid_order_keeps_what_an_unpaid_one_owes(
    amount: int, fee: int | str, data: st.DataObject
) -> None:
    """What was paid in parts and refunded in part before leaves the charge, or what there was."""
    charge = compute_fee(amount, fee)
    parts = data.draw(st.lists(st.integers(1, MAX_AMOUNT), max_size=3))
    facts = [
        GatewayFact(kind="paid", payment=f"pi_{number}", amount=part, currency="SGD")
        for number, part in enumerate(parts)
    ]
    given_back = data.draw(st.integers(0, parts[0])) if parts else 0
    if given_back:
        facts.append(
            GatewayFact(
                kind="refund",
                refund="re_0",
                payment="pi_0",
                amount=given_back,
                currency="SGD",
                refund_state="succeeded",
            )
        )
    # One that costs nothing is void, as an unpaid one is.
    found = compute_settlement(charge, "SGD", voided=charge == 0, facts=facts)
    shares = distribute_refund(found.refundable, found.excess)
    assert sum(shares.values()) == found.excess
    assert all(0 < share <= found.refundable[payment] for payment, share in shares.items())
    kept = sum(parts) - given_back - found.excess
    assert kept == min(charge, sum(parts) - given_back)


@given(AMOUNTS, AMOUNTS, st.data())
def test_what_is_on_its_way_back_is_not_sent_twice(
    amount: int, paid: int, data: st.DataObject
) -> None:
    fact = GatewayFact(kind="paid", payment="pi_0", amount=paid, currency="SGD")
    first = compute_settlement(amount, "SGD", voided=False, facts=[fact])
    wishes = [
        WantedRefund(data.draw(st.uuids()), payment, share)
        for payment, share in distribute_refund(first.refundable, first.excess).items()
    ]
    assert (
        compute_settlement(amount, "SGD", voided=False, facts=[fact], queued_refunds=wishes).excess
        == 0
    )


@given(AMOUNTS, AMOUNTS, AMOUNTS)
def test_a_transaction_is_refunded_only_when_all_that_was_paid_went_back(
    amount: int, paid: int, refunded: int
) -> None:
    said = derive_status(amount, paid, refunded, voided=False)
    assert (said == "refunded") == (0 < paid <= refunded)


@given(
    st.lists(
        st.tuples(st.integers(0, 10**12), st.sampled_from([None, Decimal(7), Decimal("25.5")])),
        min_size=1,
        max_size=6,
    ),
    st.data(),
)
def test_a_credit_takes_its_share_of_each_tax_and_a_full_one_leaves_nothing(
    amounts: list[tuple[int, Decimal | None]], data: st.DataObject
) -> None:
    charges = []
    for amount, tax_rate in amounts:
        (taxed,) = tax.split_tax([amount], tax_rate, inclusive=True)
        line = ChargeLine(
            code="X", details="X", amount=amount, tax_rate=tax_rate, tax_amount=taxed.tax
        )
        charges.append(line)
    total = sum(amount for amount, _ in amounts)
    credit = data.draw(st.one_of(st.just(total), st.integers(0, total)))
    parts = split_by_tax(ChargeLine(code="C", details="C", amount=-credit), charges)
    assert sum(part.amount for part in parts) == -credit
    for part in parts:
        taxed_alike = [line for line in charges if line.tax_rate == part.tax_rate]
        amount = sum(line.amount for line in taxed_alike)
        tax_amount = sum(line.tax_amount for line in taxed_alike)
        assert 0 <= -part.amount <= amount
        assert abs(part.amount * tax_amount - part.tax_amount * amount) * 2 <= amount
    if credit == total:
        assert sum(line.tax_amount for line in (*charges, *parts)) == 0
