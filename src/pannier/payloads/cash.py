"""Cash on delivery: which stop collects how much. Pure rules.

An item's cash is collected at the item's destination and a stop's cash at the stop. The payload's
own cash is collected once, at the last drop-off, and so is that of items without a destination.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.errors import Conflict, FieldError, Invalid
from pannier.kit.money import MAX_AMOUNT
from pannier.payloads.models import CodMethod, Entity, Payload, Waypoint

ONE_CURRENCY: Final = "All cash on delivery of an order must be in one currency."
TOO_MUCH: Final = "The cash on delivery of the whole order is too much."

# Cash by the stop's UUID. Without stops, it is collected under None.
CashByStop = Mapping[UUID | None, "CashToCollect"]


class CashToCollect(msgspec.Struct, frozen=True):
    """The cash that a driver collects at a stop, in minor units."""

    amount: int
    currency: str
    # None if several methods are named, so that any of them will do.
    method: CodMethod | None
    collected: bool


class CashChanged(Conflict):
    """Cash that was collected cannot become a different amount."""

    code = "cash_collected"
    title = "The cash of this stop was collected."
    remedy = "Leave the cash on delivery of the stop and its items unchanged."


class _CashPart(msgspec.Struct, frozen=True):
    """An amount on a payload, a stop or an item."""

    amount: int
    currency: str
    method: CodMethod | None


def allocate_cash(
    payload: Payload, stops: Sequence[Waypoint], items: Iterable[Entity]
) -> CashByStop:
    """Return what each stop collects. Stops that collect nothing are left out."""
    parts_by_stop: dict[UUID | None, list[_CashPart]] = {}
    stop_uuids = {stop.uuid for stop in stops}
    default_stop = _find_last_dropoff(stops)

    def add_part(row: Payload | Waypoint | Entity, stop: UUID | None) -> None:
        if row.cod_amount and row.cod_currency:
            method = row.cod_payment_method or payload.cod_payment_method
            part = _CashPart(row.cod_amount, row.cod_currency, method)
            parts_by_stop.setdefault(stop, []).append(part)

    add_part(payload, default_stop)
    for stop in stops:
        add_part(stop, stop.uuid)
    for item in items:
        add_part(item, item.destination if item.destination in stop_uuids else default_stop)
    collected = {stop.uuid: stop.cash_collected for stop in stops}
    return {
        stop_uuid: _sum_parts(
            parts,
            collected=payload.cash_collected if stop_uuid is None else collected[stop_uuid],
        )
        for stop_uuid, parts in parts_by_stop.items()
    }


def _find_last_dropoff(stops: Sequence[Waypoint]) -> UUID | None:
    """Return the last drop-off, or else the last stop, or None without stops."""
    dropoffs = [stop.uuid for stop in stops if stop.type == "dropoff"]
    uuids = dropoffs or [stop.uuid for stop in stops]
    return uuids[-1] if uuids else None


def _sum_parts(parts: Sequence[_CashPart], *, collected: bool) -> CashToCollect:
    methods = {part.method for part in parts}
    return CashToCollect(
        sum(part.amount for part in parts),
        parts[0].currency,
        methods.pop() if len(methods) == 1 else None,
        collected,
    )


def sum_cash(cash_by_stop: CashByStop) -> CashToCollect | None:
    """Return the cash of a whole order. It counts as collected when all stops have collected it."""
    if not cash_by_stop:
        return None
    methods = {cash.method for cash in cash_by_stop.values()}
    return CashToCollect(
        sum(cash.amount for cash in cash_by_stop.values()),
        next(iter(cash_by_stop.values())).currency,
        methods.pop() if len(methods) == 1 else None,
        all(cash.collected for cash in cash_by_stop.values()),
    )


def check_cash(payload: Payload, stops: Sequence[Waypoint], items: Sequence[Entity]) -> None:
    """Reject cash in several currencies, and more than an amount can hold."""
    parts: list[Payload | Waypoint | Entity] = [payload, *stops, *items]
    rows = [row for row in parts if row.cod_amount]
    if len({row.cod_currency for row in rows}) > 1:
        raise Invalid(fields=[FieldError("cod_currency", ONE_CURRENCY)])
    if sum(row.cod_amount or 0 for row in rows) > MAX_AMOUNT:
        raise Invalid(fields=[FieldError("cod_amount", TOO_MUCH)])


def check_collected_cash(previous_cash: CashByStop, cash: CashByStop) -> None:
    """Reject a change of cash that was already collected."""
    for stop, previous in previous_cash.items():
        new = cash.get(stop)
        is_same = new is not None and (new.amount, new.currency) == (
            previous.amount,
            previous.currency,
        )
        if previous.collected and not is_same:
            raise CashChanged
