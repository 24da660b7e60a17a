"""Compute the paid and refunded amounts from a gateway's facts. Pure rules.

Facts form a set: they may arrive in any order, twice or late. Each is about one payment, refund or
checkout, and never becomes untrue. So the settlement does not depend on their order.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal
from uuid import UUID

import msgspec

Status = Literal["unpaid", "partially_paid", "paid", "partially_refunded", "refunded", "voided"]
FactKind = Literal["paid", "declined", "processing", "expired", "refund"]
RefundState = Literal["pending", "succeeded", "failed"]
Outcome = Literal["paid", "declined", "processing", "expired"]

# Outcomes of a checkout, the latest first.
OUTCOMES: Final[tuple[Outcome, ...]] = ("paid", "declined", "processing", "expired")
# A refund only moves forward. A succeeded one can still fail, if its account was closed.
REFUND_RANKS: Final[Mapping[RefundState, int]] = {"pending": 0, "succeeded": 1, "failed": 2}


class GatewayFact(msgspec.Struct, frozen=True, kw_only=True):
    """A gateway's statement about a checkout, a payment or a refund."""

    kind: FactKind
    # The checkout. A refund that was made directly at the gateway has only its payment.
    checkout: UUID | None = None
    payment: str | None = None
    amount: int = 0
    currency: str | None = None
    # For a refund: the gateway's id, Pannier's id if Pannier requested it, and its state.
    refund: str | None = None
    own_refund: UUID | None = None
    refund_state: RefundState | None = None

    @property
    def name(self) -> str:
        """The name of the fact. A repeated fact has the same name."""
        if self.kind == "refund":
            return f"refund {self.refund} {self.refund_state}"
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


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a transaction's facts."""

    status: Status
    paid: int
    refunded: int
    # Refunds in progress.
    refunding: int
    # The overpaid amount that is not being refunded yet.
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
) -> Settlement:
    """Compute the settlement of a transaction. Money in another currency does not count."""
    payments = _list_payments(facts, currency)
    refunds = [refund for refund in _list_refunds(facts, currency) if refund.payment in payments]
    reported_uuids = {refund.own_refund for refund in refunds}
    unreported_refunds = [
        refund for refund in queued_refunds if refund.own_refund not in reported_uuids
    ]
    paid = sum(payments.values())
    refunded = sum(refund.amount for refund in refunds if refund.state == "succeeded")
    effective_refunds = [refund for refund in refunds if refund.state != "failed"]
    committed_amount = refunded + sum(
        refund.amount for refund in effective_refunds if refund.state == "pending"
    )
    committed_amount += sum(refund.amount for refund in unreported_refunds)
    return Settlement(
        status=derive_status(amount, paid, refunded, voided=voided),
        paid=paid,
        refunded=refunded,
        refunding=committed_amount - refunded,
        excess=max(0, paid - committed_amount - (0 if voided else amount)),
        refundable=_subtract_refunds(payments, [*effective_refunds, *unreported_refunds]),
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
