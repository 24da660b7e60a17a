"""Which stop an amount belongs to, and whether it needs a reason. Pure rules."""

from typing import Final
from uuid import UUID

from pannier.errors import Conflict, FieldError, Invalid
from pannier.payloads.cash import CashByStop, CashToCollect

SHORT: Final = "Give a reason for an amount below the cash due."
OVER: Final = "This is more than the cash due. Correct it, or give a reason."


class NoCashDue(Conflict):
    """The order or stop has no cash on delivery."""

    code = "no_cash_due"
    title = "There is no cash to collect."
    remedy = "Set `cod_amount` on the order, the stop or an item first."


class CashAlreadyCollected(Conflict):
    """The cash of a stop is collected once."""

    code = "cash_already_collected"
    title = "The cash was already collected."
    remedy = "See `GET /v1/cash/collections?order=`."


def choose_stop(cash_by_stop: CashByStop, stop: UUID | None, *, has_stops: bool) -> UUID | None:
    """Return the stop whose cash is collected. None is an order without stops."""
    if not cash_by_stop or (stop is not None and stop not in cash_by_stop):
        raise NoCashDue
    if stop is not None or not has_stops:
        return stop
    open_stops = [uuid for uuid, cash in cash_by_stop.items() if not cash.collected]
    if not open_stops:
        raise CashAlreadyCollected
    if len(open_stops) > 1:
        message = "Several stops collect cash. Send the identifier of one."
        raise Invalid(fields=[FieldError("waypoint", message)])
    return open_stops[0]


def add_shown_cash(
    cash_by_stop: CashByStop, stop: UUID | None, currency: str, *, collected: bool
) -> CashByStop:
    """Return the cash with that of a stop whose cash was taken away after the app had shown it.

    Nothing is due there now, but what was collected is real money.
    """
    due = cash_by_stop.get(stop)
    if due is not None and due.currency == currency:
        return cash_by_stop
    return {**cash_by_stop, stop: CashToCollect(0, currency, None, collected)}


def check_collection(
    cash: CashToCollect, amount: int, reason: str | None, shown_amount: int | None = None
) -> None:
    """Reject a second collection, and require a reason for an amount other than the cash due.

    The cash due that the app has shown needs no reason, even if it was changed meanwhile.
    """
    if cash.collected:
        raise CashAlreadyCollected
    if amount in {cash.amount, shown_amount} or reason is not None:
        return
    if amount < cash.amount:
        raise Invalid(fields=[FieldError("reason", SHORT)])
    raise Invalid(fields=[FieldError("amount", OVER)])
