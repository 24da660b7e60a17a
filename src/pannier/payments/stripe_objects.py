"""Parse Stripe's objects (notices, checkout sessions, refunds) and convert its amounts."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.kit import ids, money
from pannier.kit.money import MAX_AMOUNT
from pannier.payments.gateway import GatewayRefused
from pannier.payments.settlement import DisputeState, FundsMove, GatewayFact, RefundState
from pannier.web.logs import log

# Metadata keys of Pannier's checkouts and refunds at Stripe.
OWN_CHECKOUT, OWN_REFUND = "pannier_checkout", "pannier_refund"

# Digits of currencies where Stripe differs from ISO 4217: it has whole ariary, and krónur and
# Ugandan shillings with two digits that must be zero.
STRIPE_DIGITS: Final[Mapping[str, int]] = {"MGA": 0, "ISK": 2, "UGX": 2}
# Of three digits, Stripe supports two: the last one must be zero.
THREE_DIGITS: Final = 3
TENS: Final = 10

REFUND_STATES: Final[Mapping[str, RefundState]] = {
    "pending": "pending",
    "requires_action": "pending",
    "succeeded": "succeeded",
    "failed": "failed",
    "canceled": "failed",
}
# A `warning` is an inquiry of the bank: no money moves.
DISPUTE_STATES: Final[Mapping[str, DisputeState]] = {
    "warning_needs_response": "inquiry",
    "warning_under_review": "inquiry",
    "warning_closed": "closed",
    "prevented": "closed",
    "needs_response": "needs_response",
    "under_review": "under_review",
    "won": "won",
    "lost": "lost",
}
FUNDS_MOVES: Final[Mapping[str, FundsMove]] = {
    "charge.dispute.funds_withdrawn": "withdrawn",
    "charge.dispute.funds_reinstated": "reinstated",
}
# States of a payment that failed after the payer had completed the page.
FAILED_INTENT_STATES: Final = frozenset({"requires_payment_method", "canceled"})


def to_stripe(amount: int, currency: str) -> int:
    """Convert an amount to Stripe's units. Refuse one that Stripe cannot represent."""
    multiplier, divisor = _find_scale(currency)
    units, remainder = divmod(amount * multiplier, divisor)
    if remainder or (money.exponent(currency) == THREE_DIGITS and units % TENS):
        raise GatewayRefused(
            "The payment gateway does not support this amount's last digit in this currency."
        )
    return units


def from_stripe(amount: int, currency: str) -> int:
    """Convert an amount from Stripe's units."""
    multiplier, divisor = _find_scale(currency)
    return amount * divisor // multiplier


def _find_scale(currency: str) -> tuple[int, int]:
    """Return the multiplier and the divisor that convert amounts to Stripe's units."""
    digits = money.exponent(currency)
    shift = STRIPE_DIGITS.get(currency, digits) - digits
    return int(10 ** max(shift, 0)), int(10 ** max(-shift, 0))


class StripeIntent(msgspec.Struct):
    """A payment that Stripe returned in full, not only by its id."""

    id: str
    status: str | None = None


class StripeSession(msgspec.Struct):
    """A checkout page."""

    id: str
    status: str | None = None
    payment_status: str | None = None
    payment_intent: str | StripeIntent | None = None
    amount_total: Annotated[int, Meta(ge=0, le=MAX_AMOUNT)] | None = None
    currency: str | None = None
    metadata: dict[str, str] | None = None


class StripeRefund(msgspec.Struct):
    """A refund of a payment."""

    id: str
    amount: Annotated[int, Meta(gt=0, le=MAX_AMOUNT)]
    currency: str
    status: str | None = None
    payment_intent: str | StripeIntent | None = None
    metadata: dict[str, str] | None = None


class StripeEvidence(msgspec.Struct):
    """What Stripe says about the evidence for a dispute."""

    # In seconds since 1970. Until the year 9999, which is the last that a date can have.
    due_by: Annotated[int, Meta(ge=0, lt=253_402_300_800)] | None = None


class StripeDispute(msgspec.Struct):
    """A payer's dispute of a payment with their bank."""

    id: str
    amount: Annotated[int, Meta(gt=0, le=MAX_AMOUNT)]
    currency: str
    status: str
    payment_intent: str | StripeIntent | None = None
    reason: str | None = None
    evidence_details: StripeEvidence | None = None


class _Event(msgspec.Struct):
    type: str
    livemode: bool
    data: dict[str, Any]


def parse_notice(body: bytes, *, live: bool) -> list[GatewayFact]:
    """Return the facts of a notice. A notice about anything else has none."""
    try:
        event = msgspec.json.decode(body, type=_Event)
        if event.livemode is not live:
            return []
        return _to_facts(event.type, event.data.get("object"))
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError) as error:
        # It is signed, so it came from Stripe. Sending it again would not help.
        log.warning("payment notice not understood", kind=type(error).__name__)
        return []


def _to_facts(kind: str, payload: Any) -> list[GatewayFact]:  # noqa: ANN401 - JSON
    if kind.startswith("checkout.session."):
        is_declined = kind.endswith(".async_payment_failed")
        return to_session_facts(msgspec.convert(payload, StripeSession), declined=is_declined)
    if kind.startswith("charge.dispute."):
        dispute = msgspec.convert(payload, StripeDispute)
        return to_dispute_facts(dispute, FUNDS_MOVES.get(kind))
    if kind.startswith(("refund.", "charge.refund.")):
        return to_refund_facts(msgspec.convert(payload, StripeRefund))
    return []


def to_session_facts(session: StripeSession, *, declined: bool = False) -> list[GatewayFact]:
    """Return the outcome of a checkout session, if it is closed and belongs to Pannier.

    The metadata identifies the checkout. The `client_reference_id` does not: a payer can put any
    value into the address of a payment link.
    """
    checkout = _parse_uuid((session.metadata or {}).get(OWN_CHECKOUT))
    if checkout is None:
        return []
    payment = _get_intent_id(session.payment_intent)
    if session.payment_status == "paid" and session.currency and payment:
        currency = session.currency.upper()
        if _is_unsupported(currency, session.id):
            return []
        amount = from_stripe(session.amount_total or 0, currency)
        return [
            GatewayFact(
                kind="paid", checkout=checkout, payment=payment, amount=amount, currency=currency
            )
        ]
    if session.status == "expired":
        return [GatewayFact(kind="expired", checkout=checkout)]
    if session.status != "complete":
        return []
    has_failed = (
        isinstance(session.payment_intent, StripeIntent)
        and session.payment_intent.status in FAILED_INTENT_STATES
    )
    return [
        GatewayFact(kind="declined" if declined or has_failed else "processing", checkout=checkout)
    ]


def to_refund_facts(refund: StripeRefund) -> list[GatewayFact]:
    """Return the state of a refund. A refund without a payment, as of a transfer, is ignored."""
    payment, state = _get_intent_id(refund.payment_intent), REFUND_STATES.get(refund.status or "")
    if payment is None or state is None:
        return []
    currency = refund.currency.upper()
    if _is_unsupported(currency, refund.id):
        return []
    return [
        GatewayFact(
            kind="refund",
            payment=payment,
            amount=from_stripe(refund.amount, currency),
            currency=currency,
            refund=refund.id,
            own_refund=_parse_uuid((refund.metadata or {}).get(OWN_REFUND)),
            refund_state=state,
        )
    ]


def to_dispute_facts(dispute: StripeDispute, funds: FundsMove | None = None) -> list[GatewayFact]:
    """Return the state of a dispute."""
    payment, state = _get_intent_id(dispute.payment_intent), DISPUTE_STATES.get(dispute.status)
    if payment is None or state is None:
        return []
    currency = dispute.currency.upper()
    if _is_unsupported(currency, dispute.id):
        return []
    due_by = dispute.evidence_details and dispute.evidence_details.due_by
    return [
        GatewayFact(
            kind="dispute",
            payment=payment,
            amount=from_stripe(dispute.amount, currency),
            currency=currency,
            dispute=dispute.id,
            dispute_state=state,
            dispute_reason=dispute.reason,
            due_by=datetime.fromtimestamp(due_by, UTC) if due_by else None,
            funds=funds,
        )
    ]


def _is_unsupported(currency: str, object_id: str) -> bool:
    """Return whether Pannier does not support a currency, and so never requested it."""
    if currency in money.CURRENCIES:
        return False
    log.warning("currency of the payment gateway not known", currency=currency, object=object_id)
    return True


def _get_intent_id(intent: str | StripeIntent | None) -> str | None:
    return intent.id if isinstance(intent, StripeIntent) else intent


def _parse_uuid(text: str | None) -> UUID | None:
    return None if text is None else ids.parse_uuid(text)
