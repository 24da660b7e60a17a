"""`/t/{number}/instructions`: the form in which a recipient gives delivery instructions."""

from datetime import datetime
from typing import Final, get_args

import msgspec
from litestar import Response

from pannier.console.session import FormData, read_form
from pannier.orders.recipient_changes import rules, service
from pannier.payloads import instructions
from pannier.payloads.instructions import DeliveryInstructions, Handover
from pannier.routing import router as routing
from pannier.tracking import changing, rendering
from pannier.tracking.changing import RecipientVisit
from pannier.tracking.localization import clean_text
from pannier.tracking.parcel import TrackedParcel
from pannier.tracking.rendering import PageQuery
from pannier.web import bodies
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.times import to_rfc3339

PATH: Final = "/instructions"
HANDOVERS: Final[tuple[Handover, ...]] = get_args(Handover)
LENGTHS: Final = {
    "location": instructions.MAX_LOCATION_LENGTH,
    "access_code": instructions.MAX_CODE_LENGTH,
    "note": instructions.MAX_NOTE_LENGTH,
}


class InstructionsForm(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of the form, as the recipient filled them in."""

    handover: Handover = "recipient"
    location: str = ""
    access_code: str = ""
    note: str = ""

    @classmethod
    def parse(cls, form: FormData) -> "InstructionsForm":
        """Parse a submitted form. An unknown choice becomes the default."""
        handover: Handover = "recipient"
        handover = next((each for each in HANDOVERS if each == form.get("handover")), handover)
        texts = {name: clean_text(form.get(name, ""), length) for name, length in LENGTHS.items()}
        if handover == "recipient":
            texts["location"] = ""
        return cls(handover=handover, **texts)

    @classmethod
    def from_instructions(cls, current: DeliveryInstructions | None) -> "InstructionsForm":
        if current is None:
            return cls()
        texts = {name: getattr(current, name) or "" for name in LENGTHS}
        return cls(handover=current.handover, **texts)

    @property
    def is_complete(self) -> bool:
        """Whether it says where to leave the delivery."""
        return self.handover == "recipient" or bool(self.location)

    def to_instructions(self, now: datetime) -> DeliveryInstructions | None:
        """Return the instructions, or None if the form is empty."""
        if self == InstructionsForm():
            return None
        texts = {name: getattr(self, name) or None for name in LENGTHS}
        return DeliveryInstructions(
            handover=self.handover, requested_at=to_rfc3339(now), **texts
        )  # fmt: skip


@get("/{number:str}/instructions")
async def show_instructions(
    number: str, filters: PageQuery, exchange: Exchange, router: routing.Router
) -> Response[bytes]:
    """Show the form with the current instructions."""
    visit = await changing.begin_visit(exchange, number, filters, router, PATH)
    if isinstance(visit, Response):
        return visit
    form = InstructionsForm.from_instructions(get_instructions(visit.parcel))
    return _render_form(filters, visit, form, can_change=is_open(visit))


@post("/{number:str}/instructions", status_code=200)
async def change_instructions(
    number: str, filters: PageQuery, exchange: Exchange, router: routing.Router
) -> Response[bytes]:
    """Save the instructions, unless it is too late for them."""
    await bodies.load(exchange)
    visit = await changing.begin_visit(exchange, number, filters, router, PATH)
    if isinstance(visit, Response):
        return visit
    form = InstructionsForm.parse(read_form(exchange))
    if not form.is_complete:
        return _render_form(filters, visit, form, 422, is_incomplete=True)
    await changing.lock_order(exchange, visit)
    if not is_open(visit):
        return _render_form(filters, visit, form, 409, can_change=False)
    new_instructions = form.to_instructions(exchange.db.now)
    await service.give_instructions(
        exchange.db, visit.parcel.aggregate, visit.parcel.dropoff, new_instructions
    )
    return rendering.redirect(f"/t/{visit.parcel.number.number}{filters.query}")


def _render_form(
    query: PageQuery,
    visit: RecipientVisit,
    form: InstructionsForm,
    status: int = 200,
    *,
    can_change: bool = True,
    is_incomplete: bool = False,
) -> Response[bytes]:
    return rendering.render_page(
        "instructions.html", visit.localizer, query, status,
        number=visit.parcel.number.number,
        brand=visit.data.settings.branding.name,
        color=visit.data.settings.branding.color,
        form=form,
        handovers=HANDOVERS,
        lengths=LENGTHS,
        can_change=can_change,
        until=visit.data.settings.recipients.instructions_until,
        is_incomplete=is_incomplete,
    )  # fmt: skip


def get_instructions(parcel: TrackedParcel) -> DeliveryInstructions | None:
    """Return the instructions for the recipient's stop, or for an order without stops."""
    return (parcel.dropoff or parcel.order).delivery_instructions


def is_open(visit: RecipientVisit) -> bool:
    """Return whether the recipient can give instructions now."""
    recipients = visit.data.settings.recipients
    return visit.is_changeable and rules.accepts_instructions(
        recipients, visit.state, visit.localizer.now
    )
