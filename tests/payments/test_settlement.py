"""What facts come to: a pure rule, the same in whatever order they are told."""

from random import Random
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.payments.gateway import GatewayRefused
from pannier.payments.settlement import (
    DISPUTE_RANKS,
    REFUND_RANKS,
    FundsMove,
    GatewayFact,
    Settlement,
    WantedRefund,
    compute_settlement,
    derive_status,
    distribute_refund,
)
from pannier.payments.stripe_objects import from_stripe, to_stripe

PAYMENTS = ("pi_1", "pi_2")
PAGES = {name: UUID(int=number) for number, name in enumerate(PAYMENTS, 1)}
AMOUNT = 1000
FUNDS: tuple[FundsMove | None, ...] = (None, "withdrawn", "reinstated")


@st.composite
def stories(draw: st.DrawFn) -> list[GatewayFact]:
    """What may be told of two pages: each fact once, as far as the story came."""
    facts = []
    for payment, page in PAGES.items():
        kinds = draw(st.sets(st.sampled_from(["processing", "expired", "declined", "paid"])))
        for kind in sorted(kinds):
            paid = {"payment": payment, "amount": AMOUNT} if kind == "paid" else {}
            facts.append(GatewayFact(kind=kind, checkout=page, currency="SGD", **paid))  # type: ignore[arg-type]  # one of the kinds
        for number in range(draw(st.integers(0, 3))):
            amount = draw(st.integers(1, 400))
            states = draw(st.sets(st.sampled_from(list(REFUND_RANKS))))
            facts += [
                GatewayFact(
                    kind="refund",
                    checkout=page,
                    payment=payment,
                    amount=amount,
                    currency="SGD",
                    refund=f"re_{payment}_{number}",
                    refund_state=state,
                )
                for state in sorted(states)
            ]
        for number in range(draw(st.integers(0, 2))):
            amount = draw(st.integers(1, 700))
            news = draw(
                st.sets(st.tuples(st.sampled_from(list(DISPUTE_RANKS)), st.sampled_from(FUNDS)))
            )
            facts += [
                GatewayFact(
                    kind="dispute",
                    checkout=page,
                    payment=payment,
                    amount=amount,
                    currency="SGD",
                    dispute=f"dp_{payment}_{number}",
                    dispute_state=state,
                    funds=funds,
                )
                for state, funds in sorted(news, key=str)
            ]
    return facts


def come_to(
    facts: list[GatewayFact], *, voided: bool = False, wishes: list[WantedRefund] | None = None
) -> Settlement:
    return compute_settlement(
        AMOUNT, "SGD", voided=voided, facts=facts, queued_refunds=wishes or []
    )


@pytest.mark.slow
@given(facts=stories(), voided=st.booleans(), random=st.randoms(use_true_random=False))
def test_order_and_repetition_change_nothing(
    facts: list[GatewayFact], *, voided: bool, random: Random
) -> None:
    told = [*facts, *random.choices(facts, k=3)] if facts else []
    random.shuffle(told)
    assert come_to(told, voided=voided) == come_to(facts, voided=voided)


@given(facts=stories(), voided=st.booleans())
def test_sums_agree_with_plain_counting(facts: list[GatewayFact], *, voided: bool) -> None:
    found = come_to(facts, voided=voided)
    paid = {fact.payment for fact in facts if fact.kind == "paid"}
    best: dict[str, GatewayFact] = {}
    for fact in sorted(facts, key=lambda each: REFUND_RANKS[each.refund_state or "pending"]):
        if fact.kind == "refund" and fact.payment in paid and fact.refund is not None:
            best[fact.refund] = fact
    back = [each for each in best.values() if each.refund_state == "succeeded"]
    waiting = [each for each in best.values() if each.refund_state == "pending"]
    ends: dict[str, GatewayFact] = {}
    for fact in sorted(facts, key=lambda each: DISPUTE_RANKS[each.dispute_state or "inquiry"]):
        if fact.kind == "dispute" and fact.payment in paid and fact.dispute is not None:
            ends[fact.dispute] = fact
    gone = dict.fromkeys(paid, 0)
    for each in ends.values():
        gone[each.payment] += each.amount if each.dispute_state == "lost" else 0
    assert found.disputed == sum(min(AMOUNT, amount) for amount in gone.values())
    assert found.paid == AMOUNT * len(paid) - found.disputed
    assert found.refunded == sum(each.amount for each in back)
    assert found.refunding == sum(each.amount for each in waiting)
    keep = 0 if voided else AMOUNT
    assert found.excess == max(0, found.paid - found.refunded - found.refunding - keep)
    assert all(amount >= 0 for amount in found.refundable.values())
    said = derive_status(AMOUNT, found.paid, found.refunded, voided=voided)
    # Who got back what they had not taken back owes the rest.
    assert found.status == said or (said, found.status) == ("refunded", "partially_refunded")
    assert found.disputed or found.status == said


@given(facts=stories(), voided=st.booleans())
def test_giving_the_excess_back_leaves_none(facts: list[GatewayFact], *, voided: bool) -> None:
    found = come_to(facts, voided=voided)
    shares = distribute_refund(found.refundable, found.excess)
    wishes = [WantedRefund(UUID(int=n), *share) for n, share in enumerate(shares.items(), 10)]
    after = come_to(facts, voided=voided, wishes=wishes)
    assert sum(shares.values()) == min(found.excess, sum(found.refundable.values()))
    assert after.excess == 0 or not any(after.refundable.values())
    assert after.refunding == found.refunding + sum(shares.values())


@pytest.mark.parametrize(
    ("amount", "paid", "refunded", "voided", "word"),
    [
        (1000, 0, 0, False, "unpaid"),
        (0, 0, 0, False, "paid"),
        (1000, 1000, 0, False, "paid"),
        (1000, 2000, 1000, False, "paid"),
        (1000, 400, 0, False, "partially_paid"),
        (1000, 1000, 1, False, "partially_refunded"),
        (1000, 1000, 1000, False, "refunded"),
        (1000, 0, 0, True, "voided"),
        (1000, 1000, 1000, True, "voided"),
    ],
)
def test_how_a_transaction_stands_in_a_word(
    amount: int, paid: int, refunded: int, *, voided: bool, word: str
) -> None:
    assert derive_status(amount, paid, refunded, voided=voided) == word


def test_what_is_in_another_currency_is_not_of_it() -> None:
    fact = GatewayFact(
        kind="paid", checkout=PAGES["pi_1"], payment="pi_1", amount=1000, currency="USD"
    )
    assert come_to([fact]).paid == 0


@pytest.mark.parametrize(
    ("amount", "currency", "at_stripe"),
    [
        (1200, "SGD", 1200),
        (500, "JPY", 500),
        (500, "KRW", 500),
        (5, "ISK", 500),
        (5, "UGX", 500),
        (500, "MGA", 5),
        (5000, "KWD", 5000),
        (12340, "TND", 12340),
        (1200, "HUF", 1200),
        (1200, "TWD", 1200),
    ],
)
def test_amounts_are_spelled_as_stripe_counts_them(
    amount: int, currency: str, at_stripe: int
) -> None:
    assert to_stripe(amount, currency) == at_stripe
    assert from_stripe(at_stripe, currency) == amount


@pytest.mark.parametrize(("amount", "currency"), [(501, "MGA"), (5001, "KWD"), (12345, "BHD")])
def test_what_stripe_cannot_count_is_refused_and_never_rounded(amount: int, currency: str) -> None:
    with pytest.raises(GatewayRefused):
        to_stripe(amount, currency)
