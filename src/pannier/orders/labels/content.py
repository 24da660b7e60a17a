"""The content of a label, from an order. Pure rules."""

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final
from zoneinfo import ZoneInfo

import msgspec

from pannier.accounts.company_settings.models import CompanySettings
from pannier.kit import money
from pannier.orders.schemas import OrderOut
from pannier.orders.views import OrderAggregate
from pannier.payloads.schemas import PayloadOut, WaypointOut
from pannier.proofs.phrases import Phrase

CATALOGUE_PART: Final = "label"
# A label has room for a few lines. Longer texts are cut off anyway, and breaking them takes long.
MAX_NAME_LENGTH, MAX_TEXT_LENGTH = 100, 200


class LabelPhrase(Phrase):
    """A text that is printed on labels."""

    __slots__ = ()
    catalogue_part: ClassVar[str] = CATALOGUE_PART


class LabelParty(msgspec.Struct, frozen=True):
    """The sender or the recipient."""

    name: str
    address: str


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """The texts of a label. Phrases are translated when they are printed."""

    brand: str
    service: str
    number: str
    sender: LabelParty
    recipient: LabelParty
    notes: str
    # The amount that the driver collects.
    cash: str
    # Captions and values in small print.
    details: tuple[tuple[str, str], ...]


def count_letters(labels: Sequence[Label]) -> int:
    """Count the different characters of labels."""
    letters = set[str]()
    for label in labels:
        parties = (label.sender, label.recipient)
        texts = [label.brand, label.notes, *(value for _, value in label.details)]
        letters.update(*texts, *(text for party in parties for text in (party.name, party.address)))
    return len(letters)


def build_label(order: OrderAggregate, company: str, settings: CompanySettings) -> Label:
    """Build the label of an order. Its last stop is the destination."""
    order_out = order.to_order_out()
    payload = order_out.payload
    last_stop = payload.waypoints[-1] if payload.waypoints else None
    return Label(
        brand=_shorten(settings.branding.name or company, MAX_NAME_LENGTH),
        service=_format_service(order_out),
        number=order_out.tracking_number.tracking_number,
        sender=_build_sender(payload),
        recipient=_build_recipient(order_out, last_stop),
        notes=_shorten(order_out.notes or (last_stop and last_stop.notes) or ""),
        cash=_format_cash(order_out),
        details=tuple(_list_details(order_out, settings.zone)),
    )


def _format_service(order: OrderOut) -> str:
    service = _shorten(order.type.replace("_", " "), MAX_NAME_LENGTH)
    return service if order.return_of is None else LabelPhrase("return", service)


def _build_sender(payload: PayloadOut) -> LabelParty:
    place = payload.waypoints[0].place if payload.waypoints else payload.pickup
    if place is None:
        return LabelParty("", "")
    return LabelParty(_shorten(place.name or "", MAX_NAME_LENGTH), _shorten(place.address))


def _build_recipient(order: OrderOut, last_stop: WaypointOut | None) -> LabelParty:
    place = last_stop.place if last_stop is not None else order.payload.dropoff
    names = (
        last_stop.recipient.name if last_stop is not None and last_stop.recipient else None,
        order.customer.name if order.customer is not None else None,
        place.name if place is not None else None,
    )
    name = next((name for name in names if name), "")
    return LabelParty(
        _shorten(name, MAX_NAME_LENGTH), _shorten(place.address) if place is not None else ""
    )


def _format_cash(order: OrderOut) -> str:
    cash = order.cash_to_collect
    if cash is None or cash.collected or not cash.amount:
        return ""
    amount = money.to_major_units(cash.amount, cash.currency)
    return LabelPhrase("collect", f"{amount} {cash.currency}")


def _list_details(order: OrderOut, zone: ZoneInfo) -> list[tuple[str, str]]:
    details: list[tuple[str, str]] = []
    if order.internal_id:
        details.append((LabelPhrase("reference"), _shorten(order.internal_id, MAX_NAME_LENGTH)))
    pieces = sum(item.quantity for item in order.payload.entities)
    if pieces:
        details.append((LabelPhrase("items"), str(pieces)))
    window = _format_window(order.time_window_start, order.time_window_end, zone)
    if window:
        details.append((LabelPhrase("window"), window))
    return details


def _format_window(start: str | None, end: str | None, zone: ZoneInfo) -> str:
    """Format a time window in the company's time zone, with the date once if it is one day."""
    moments = [
        datetime.fromisoformat(moment).astimezone(zone)
        for moment in (start, end)
        if moment is not None
    ]
    if not moments:
        return ""
    texts = [f"{moment:%Y-%m-%d %H:%M}" for moment in moments]
    if len(moments) > 1 and moments[0].date() == moments[1].date():
        texts[1] = f"{moments[1]:%H:%M}"
    return " \N{EN DASH} ".join(texts)


def _shorten(text: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    return " ".join(text[:max_length].split())
