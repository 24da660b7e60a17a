"""Compute the paid and refunded amounts from a gateway's facts. Pure rules.

Facts form a set: they may arrive in any order, twice or late. Each is about one payment, refund or
checkout, and never becomes untrue. So the settlement does not depend on their order.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

Status = Literal["unpaid", "partially_paid", "paid", "partially_refunded", "refunded", "voided"]
FactKind = Literal["paid", "declined", "processing", "expired", "refund", "dispute"]
RefundState = Literal["pending", "succeeded", "failed"]
DisputeState = Literal["inquiry", "needs_response", "under_review", "closed", "lost", "won"]
FundsMove = Literal["withdrawn", "reinstated"]
Outcome = Literal["paid", "declined", "processing", "expired"]

# Outcomes of a checkout, the latest first.
OUTCOMES: Final[tuple[Outcome, ...]] = ("paid", "declined", "processing", "expired")
# A refund only moves forward. A succeeded one can still fail, if its account was closed.
REFUND_RANKS: Final[Mapping[RefundState, int]] = {"pending": 0, "succeeded": 1, "failed": 2}
# A dispute only moves forward. A bank may reverse a lost one, so `won` is last.
DISPUTE_RANKS: Final[Mapping[DisputeState, int]] = {
    "inquiry": 0,
    "needs_response": 1,
    "under_review": 2,
    "closed": 3,
    "lost": 4,
    "won": 5,
}
# In these states, the gateway keeps or may keep the disputed amount, so nobody can refund it.
CONTESTED_STATES: Final = frozenset({"needs_response", "under_review", "lost"})


class GatewayFact(msgspec.Struct, frozen=True, kw_only=True):
    """A gateway's statement about a checkout, a payment, a refund or a dispute."""

    kind: FactKind
    # The checkout. A dispute, and a refund made directly at the gateway, have only their payment.
    checkout: UUID | None = None
    payment: str | None = None
    amount: int = 0
    currency: str | None = None
    # For a refund: the gateway's id, Pannier's id if Pannier requested it, and its state.
    refund: str | None = None
    own_refund: UUID | None = None
    refund_state: RefundState | None = None
    # For a dispute: the gateway's id, the state, the bank's reason, the deadline for evidence, and
    # whether the gateway took the amount from the account or put it back.
    dispute: str | None = None
    dispute_state: DisputeState | None = None
    dispute_reason: str | None = None
    due_by: datetime | None = None
    funds: FundsMove | None = None

    @property
    def name(self) -> str:
        """The name of the fact. A repeated fact has the same name."""
        if self.kind == "refund":
            return f"refund {self.refund} {self.refund_state}"
        if self.kind == "dispute":
            return f"dispute {self.dispute} {self.dispute_state} {self.funds or 'unchanged'}"
        return f"{self.kind} {self.payment if self.kind == 'paid' else self.checkout}"


class WantedRefund(msgspec.Struct, frozen=True):
    """A requested refund that the gateway has not reported yet."""

    own_refund: UUID
    payment: str
    amount: int


class GatewayRefund(msgspec.Struct, frozen=True):
    """A refund at the gateway."""

    refund: str
    own_refund: UUID | None
    payment: str
    amount: int
    state: RefundState


class GatewayDispute(msgspec.Struct, frozen=True):
    """A dispute at the gateway: the payer asks their bank for the money back."""

    dispute: str
    payment: str
    amount: int
    currency: str
    state: DisputeState
    reason: str | None
    due_by: datetime | None
    funds_withdrawn: bool


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a transaction's facts."""

    status: Status
    # Without lost disputes.
    paid: int
    refunded: int
    # The amount of lost disputes.
    disputed: int
    # Refunds in progress.
    refunding: int
    # The amount still owed. Below zero, it is a credit, which a person refunds.
    balance: int
    # The amount that a gateway received too much and is not refunding yet.
    excess: int
    # The amount of each payment that can still be refunded.
    refundable: dict[str, int]
    refunds: list[GatewayRefund]
    outcomes: dict[UUID, Outcome]


def compute_settlement(
    amount: int,
    currency: str,
    *,
    voided: bool,
    facts: Collection[GatewayFact],
    queued_refunds: Iterable[WantedRefund] = (),
    recorded_payments: Collection[str] = (),
    refused_payments: Collection[str] = (),
) -> Settlement:
    """Compute the settlement of a transaction. Money in another currency does not count.

    The amount of a lost dispute counts as never paid, so it is owed again. `recorded_payments` are
    those that people recorded. Nothing of them is refunded automatically: a wrong entry must not
    send money out. Nor is anything of `refused_payments`, whose refund the gateway refused, or of
    those whose refund failed later. What a person has to refund is a credit.
    """
    payments = _list_payments(facts, currency)
    refunds = [refund for refund in _list_refunds(facts, currency) if refund.payment in payments]
    reported_uuids = {refund.own_refund for refund in refunds}
    unreported_refunds = [
        refund for refund in queued_refunds if refund.own_refund not in reported_uuids
    ]
    disputes = [dispute for dispute in list_disputes(facts) if dispute.currency == currency]
    kept_payments = _subtract_disputes(payments, disputes, frozenset({"lost"}))
    paid = sum(kept_payments.values())
    disputed = sum(payments.values()) - paid
    refunded = sum(refund.amount for refund in refunds if refund.state == "succeeded")
    effective_refunds = [refund for refund in refunds if refund.state != "failed"]
    committed_amount = refunded + sum(
        refund.amount for refund in effective_refunds if refund.state == "pending"
    )
    committed_amount += sum(refund.amount for refund in unreported_refunds)
    refundable = _subtract_refunds(
        _subtract_disputes(payments, disputes, CONTESTED_STATES),
        [*effective_refunds, *unreported_refunds],
    )
    kept_by_people = sum(refundable.get(payment, 0) for payment in recorded_payments)
    excess = max(0, paid - committed_amount - kept_by_people - (0 if voided else amount))
    failed_payments = {refund.payment for refund in refunds if refund.state == "failed"}
    manual_payments = failed_payments | {*recorded_payments, *refused_payments}
    automatic_refund = min(
        excess, sum(rest for name, rest in refundable.items() if name not in manual_payments)
    )
    held_amount = paid - committed_amount - automatic_refund
    return Settlement(
        status=_derive_disputed_status(
            derive_status(amount, paid, refunded, voided=voided), disputed
        ),
        paid=paid,
        refunded=refunded,
        disputed=disputed,
        refunding=committed_amount - refunded,
        balance=derive_balance(
            amount, paid=paid, refunded=refunded, disputed=disputed, held=held_amount, voided=voided
        ),
        excess=excess,
        refundable=refundable,
        refunds=refunds,
        outcomes=_find_outcomes(facts),
    )


def derive_status(amount: int, paid: int, refunded: int, *, voided: bool) -> Status:
    if voided:
        return "voided"
    if paid == 0:
        return "paid" if amount == 0 else "unpaid"
    if refunded >= paid:
        return "refunded"
    if paid - refunded >= amount:
        return "paid"
    return "partially_refunded" if refunded else "partially_paid"


def _derive_disputed_status(status: Status, disputed: int) -> Status:
    """Correct the status for lost disputes: their amount is owed, also if the rest was refunded."""
    return "partially_refunded" if disputed and status == "refunded" else status


def derive_balance(
    amount: int, *, paid: int, refunded: int, disputed: int, held: int, voided: bool
) -> int:
    """Return the amount still owed. Below zero, it is a credit.

    `held` is the paid amount without refunds, including those in progress. A refund does not make
    its amount owed again, but a lost dispute does.
    """
    if voided:
        return -held
    if paid and refunded >= paid and not disputed:
        return 0
    return amount - paid if paid < amount else min(0, amount - held)


def distribute_refund(refundable: Mapping[str, int], amount: int) -> dict[str, int]:
    """Distribute a refund over payments."""
    shares: dict[str, int] = {}
    for payment in sorted(refundable):
        share = min(refundable[payment], amount)
        if share > 0:
            shares[payment] = share
            amount -= share
    return shares


def _list_payments(facts: Iterable[GatewayFact], currency: str) -> dict[str, int]:
    payments: dict[str, int] = {}
    for fact in facts:
        if fact.kind == "paid" and fact.payment is not None and fact.currency == currency:
            payments[fact.payment] = max(fact.amount, payments.get(fact.payment, 0))
    return payments


def _list_refunds(facts: Iterable[GatewayFact], currency: str) -> list[GatewayRefund]:
    """List each refund in its latest state, the one with the highest rank."""
    latest_refunds: dict[str, GatewayRefund] = {}
    for fact in facts:
        if (
            fact.kind != "refund"
            or fact.refund is None
            or fact.payment is None
            or fact.refund_state is None
            or fact.currency != currency
        ):
            continue
        refund = GatewayRefund(
            fact.refund, fact.own_refund, fact.payment, fact.amount, fact.refund_state
        )
        previous_refund = latest_refunds.get(fact.refund)
        if (
            previous_refund is None
            or REFUND_RANKS[refund.state] > REFUND_RANKS[previous_refund.state]
        ):
            latest_refunds[fact.refund] = refund
    return [latest_refunds[name] for name in sorted(latest_refunds)]


def list_disputes(facts: Iterable[GatewayFact]) -> list[GatewayDispute]:
    """List each dispute in its latest state, the one with the highest rank."""
    facts_by_dispute: dict[str, list[GatewayFact]] = {}
    for fact in facts:
        if fact.kind == "dispute" and fact.dispute is not None and fact.payment is not None:
            facts_by_dispute.setdefault(fact.dispute, []).append(fact)
    return [_merge_dispute(facts_by_dispute[name]) for name in sorted(facts_by_dispute)]


def _merge_dispute(facts: list[GatewayFact]) -> GatewayDispute:
    # The name decides between facts of the same state, so that their order does not matter.
    latest = max(
        facts, key=lambda fact: (DISPUTE_RANKS[fact.dispute_state or "inquiry"], fact.name)
    )
    moves = {fact.funds for fact in facts}
    return GatewayDispute(
        dispute=latest.dispute or "",
        payment=latest.payment or "",
        amount=latest.amount,
        currency=latest.currency or "",
        state=latest.dispute_state or "inquiry",
        reason=latest.dispute_reason,
        due_by=latest.due_by,
        funds_withdrawn="withdrawn" in moves and "reinstated" not in moves,
    )


def _subtract_disputes(
    payments: Mapping[str, int], disputes: Iterable[GatewayDispute], states: Collection[str]
) -> dict[str, int]:
    remaining = dict(payments)
    for dispute in disputes:
        if dispute.state in states:
            remaining[dispute.payment] = max(0, remaining.get(dispute.payment, 0) - dispute.amount)
    return remaining


def _subtract_refunds(
    payments: Mapping[str, int], refunds: Iterable[GatewayRefund | WantedRefund]
) -> dict[str, int]:
    refundable = dict(payments)
    for refund in refunds:
        refundable[refund.payment] = max(0, refundable.get(refund.payment, 0) - refund.amount)
    return refundable


def _find_outcomes(facts: Iterable[GatewayFact]) -> dict[UUID, Outcome]:
    kinds_by_checkout: dict[UUID, set[str]] = {}
    for fact in facts:
        if fact.checkout is not None:
            kinds_by_checkout.setdefault(fact.checkout, set()).add(fact.kind)
    return {
        checkout: next(outcome for outcome in OUTCOMES if outcome in kinds)
        for checkout, kinds in kinds_by_checkout.items()
        if kinds & set(OUTCOMES)
    }
