"""`/t/{number}/time`: the form in which a recipient chooses another day or time window."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from litestar import Response

from pannier.console.session import read_form
from pannier.orders.recipient_changes import service, slots
from pannier.orders.recipient_changes.slots import DeliverySlot
from pannier.routing import router as routing
from pannier.tracking import changing, rendering
from pannier.tracking.changing import RecipientVisit
from pannier.tracking.rendering import PageQuery
from pannier.web import bodies
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

PATH: Final = "/time"


@get("/{number:str}/time")
async def show_times(
    number: str, filters: PageQuery, exchange: Exchange, router: routing.Router
) -> Response[bytes]:
    """Show the days and time windows to choose from."""
    visit = await changing.begin_visit(exchange, number, filters, router, PATH)
    if isinstance(visit, Response):
        return visit
    return _render_form(filters, visit)


@post("/{number:str}/time", status_code=200)
async def change_time(
    number: str, filters: PageQuery, exchange: Exchange, router: routing.Router
) -> Response[bytes]:
    """Move the delivery, unless the driver has left or the time is no longer offered."""
    await bodies.load(exchange)
    visit = await changing.begin_visit(exchange, number, filters, router, PATH)
    if isinstance(visit, Response):
        return visit
    await changing.lock_order(exchange, visit)
    code = read_form(exchange).get("slot", "")
    slot = next((slot for slot in list_open_slots(visit) if slot.code == code), None)
    if slot is None:
        return _render_form(filters, visit, 409, is_refused=True)
    await service.reschedule(
        exchange.db, visit.parcel.aggregate, visit.parcel.dropoff, slot, visit.localizer.zone
    )
    return rendering.redirect(f"/t/{visit.parcel.number.number}{filters.query}")


def list_open_slots(visit: RecipientVisit) -> Sequence[DeliverySlot]:
    """List the slots that the recipient can choose now.

    A round with stops of other recipients stays on its day.
    """
    recipients, parcel = visit.data.settings.recipients, visit.parcel
    can_move = visit.is_changeable and parcel.is_whole_order
    if not can_move or not slots.accepts_reschedule(recipients, visit.state):
        return ()
    return slots.list_slots(recipients, visit.localizer.zone, visit.localizer.now)


def _render_form(
    query: PageQuery, visit: RecipientVisit, status: int = 200, *, is_refused: bool = False
) -> Response[bytes]:
    times = visit.localizer.times
    days = groupby(list_open_slots(visit), lambda slot: times.format_day(slot.start))
    return rendering.render_page(
        "time.html", visit.localizer, query, status,
        number=visit.parcel.number.number,
        brand=visit.data.settings.branding.name,
        color=visit.data.settings.branding.color,
        window=visit.view.window,
        days=[(day, list(day_slots)) for day, day_slots in days],
        is_refused=is_refused,
    )  # fmt: skip
