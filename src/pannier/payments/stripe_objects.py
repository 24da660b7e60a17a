"""What Stripe writes, read: notices, checkout sessions, refunds, and its amounts."""

from collections.abc import Mapping
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.kit import ids, money
from pannier.kit.money import LARGEST_AMOUNT
from pannier.payments.gateway import Refused
from pannier.payments.settlement import Fact, RefundState
from pannier.web.logs import log

# What our checkouts and refunds carry there, so that they are known again.
OWN_CHECKOUT, OWN_REFUND = "pannier_checkout", "pannier_refund"

# Stripe's own digits where they are not those of ISO 4217: it counts ariary whole, and crowns of
# Iceland and shillings of Uganda with two digits that must be noughts.
DIGITS: Final[Mapping[str, int]] = {"MGA": 0, "ISK": 2, "UGX": 2}
# Of three digits it takes two: the last one must be a nought.
THREE_DIGITS: Final = 3
TENS: Final = 10

REFUND_STATES: Final[Mapping[str, RefundState]] = {
    "pending": "pending",
    "requires_action": "pending",
    "succeeded": "succeeded",
    "failed": "failed",
    "canceled": "failed",
}
# A payment that came to nothing, after the payer had done what they could.
BROKEN: Final = frozenset({"requires_payment_method", "canceled"})


def to_stripe(amount: int, currency: str) -> int:
    """Spell an amount as Stripe counts the currency; refuse what it cannot count."""
    multiplied, divided = _scale(currency)
    counted, rest = divmod(amount * multiplied, divided)
    if rest or (money.exponent(currency) == THREE_DIGITS and counted % TENS):
        raise Refused(
            "The payment gateway does not support this amount's last digit in this currency."
        )
    return counted


def from_stripe(amount: int, currency: str) -> int:
    """Read an amount as ISO 4217 counts the currency."""
    multiplied, divided = _scale(currency)
    return amount * divided // multiplied


def _scale(currency: str) -> tuple[int, int]:
    """Tell what an amount of ours is multiplied and divided by to be one of Stripe's."""
    ours = money.exponent(currency)
    shift = DIGITS.get(currency, ours) - ours
    return int(10 ** max(shift, 0)), int(10 ** max(-shift, 0))


class Intent(msgspec.Struct):
    """A payment, where Stripe is asked for more than its id."""

    id: str
    status: str | None = None


class Session(msgspec.Struct):
    """A page on which somebody pays."""

    id: str
    status: str | None = None
    payment_status: str | None = None
    payment_intent: str | Intent | None = None
    amount_total: Annotated[int, Meta(ge=0, le=LARGEST_AMOUNT)] | None = None
    currency: str | None = None
    metadata: dict[str, str] | None = None


class StripeRefund(msgspec.Struct):
    """What was given back of a payment."""

    id: str
    amount: Annotated[int, Meta(gt=0, le=LARGEST_AMOUNT)]
    currency: str
    status: str | None = None
    payment_intent: str | Intent | None = None
    metadata: dict[str, str] | None = None


class _Event(msgspec.Struct):
    type: str
    livemode: bool
    data: dict[str, Any]


def facts_of_notice(body: bytes, *, live: bool) -> list[Fact]:
    """Read what a notice says; what is of no concern here says nothing."""
    try:
        event = msgspec.json.decode(body, type=_Event)
        if event.livemode is not live:
            return []
        return _facts(event.type, event.data.get("object"))
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError) as wrong:
        # It is signed, so it came from there; sent again it would be no clearer.
        log.warning("payment notice not understood", kind=type(wrong).__name__)
        return []


def _facts(kind: str, thing: Any) -> list[Fact]:  # noqa: ANN401 - JSON
    if kind.startswith("checkout.session."):
        failed = kind.endswith(".async_payment_failed")
        return session_facts(msgspec.convert(thing, Session), declined=failed)
    if kind.startswith(("refund.", "charge.refund.")):
        return refund_facts(msgspec.convert(thing, StripeRefund))
    return []


def session_facts(session: Session, *, declined: bool = False) -> list[Fact]:
    """Tell what came of a page; of one that is open, or none of ours, there is nothing to tell.

    It is known by what only we could write on it: the `client_reference_id` of a payment link is
    whatever the payer put into its address.
    """
    checkout = _uuid((session.metadata or {}).get(OWN_CHECKOUT))
    if checkout is None:
        return []
    payment = _id(session.payment_intent)
    if session.payment_status == "paid" and session.currency and payment:
        currency = session.currency.upper()
        if _unknown(currency, session.id):
            return []
        amount = from_stripe(session.amount_total or 0, currency)
        return [
            Fact(kind="paid", checkout=checkout, payment=payment, amount=amount, currency=currency)
        ]
    if session.status == "expired":
        return [Fact(kind="expired", checkout=checkout)]
    if session.status != "complete":
        return []
    broken = isinstance(session.payment_intent, Intent) and session.payment_intent.status in BROKEN
    return [Fact(kind="declined" if declined or broken else "processing", checkout=checkout)]


def refund_facts(refund: StripeRefund) -> list[Fact]:
    """Tell how a refund stands; one of no payment, such as of a transfer, is none of ours."""
    payment, state = _id(refund.payment_intent), REFUND_STATES.get(refund.status or "")
    if payment is None or state is None:
        return []
    currency = refund.currency.upper()
    if _unknown(currency, refund.id):
        return []
    return [
        Fact(
            kind="refund",
            payment=payment,
            amount=from_stripe(refund.amount, currency),
            currency=currency,
            refund=refund.id,
            own_refund=_uuid((refund.metadata or {}).get(OWN_REFUND)),
            refund_state=state,
        )
    ]


def _unknown(currency: str, thing: str) -> bool:
    """Tell whether a currency is one that we cannot count, and so never asked for."""
    if currency in money.CURRENCIES:
        return False
    log.warning("currency of the payment gateway not known", currency=currency, thing=thing)
    return True


def _id(intent: str | Intent | None) -> str | None:
    return intent.id if isinstance(intent, Intent) else intent


def _uuid(text: str | None) -> UUID | None:
    return None if text is None else ids.as_uuid(text)
