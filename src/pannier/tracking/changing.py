"""Visits in which a recipient may change the delivery, and the lock for the change itself."""

import msgspec
from litestar import Response

from pannier.db.actor import Actor
from pannier.orders.progress import load_progress
from pannier.orders.queries import ORDERS
from pannier.orders.recipient_changes.rules import DeliveryState
from pannier.orders.views import OrderAggregate
from pannier.routing import router as routing
from pannier.tracking import parcel as parcels
from pannier.tracking import rendering
from pannier.tracking.localization import Localizer
from pannier.tracking.parcel import TrackedParcel
from pannier.tracking.rendering import PageQuery
from pannier.tracking.schemas import ParcelView
from pannier.tracking.view import ParcelData
from pannier.web.exchange import Exchange


class RecipientVisit(msgspec.Struct):
    """A recipient's visit: the delivery, as it is when the page is shown or changed."""

    data: ParcelData
    view: ParcelView
    localizer: Localizer

    @property
    def parcel(self) -> TrackedParcel:
        return self.data.parcel

    @property
    def is_changeable(self) -> bool:
        """Whether a change has one meaning, and the recipient can prove who they are."""
        return self.parcel.is_changeable and bool(parcels.list_secrets(self.parcel))

    @property
    def state(self) -> DeliveryState:
        order = self.parcel.aggregate
        activity = self.data.snapshot.progress.flow.get(order.row.activity)
        return DeliveryState(
            order=order.row,
            stop=self.parcel.dropoff,
            is_at_pickup=activity is not None and activity.at is not None,
            eta=self.view.eta,
        )


async def begin_visit(
    exchange: Exchange, number: str, query: PageQuery, router: routing.Router, section: str
) -> RecipientVisit | Response[bytes]:
    """Load the delivery for a visitor who may change it, or return the response for another."""
    code, access = rendering.check_access(exchange, number, query)
    if access.has_link and not access.can_change:
        return rendering.render_secret_form(exchange, query, code, section)
    parcel = await parcels.find_parcel(exchange.db, code) if access.can_change else None
    if parcel is None:
        return rendering.redirect(f"/t/{code}{query.query}")
    return RecipientVisit(*await rendering.load_view(exchange, parcel, router, query))


async def lock_order(exchange: Exchange, visit: RecipientVisit) -> None:
    """Lock the order, and load the delivery again: it may have changed since.

    From here on, the recipient is the author of changes.
    """
    db, number = exchange.db, visit.parcel.number
    row = await ORDERS.lock(db, number.company, number.order_uuid)
    order = await OrderAggregate.load(db, row)
    visit.data.parcel = parcels.select_parcel(number, order)
    visit.data.snapshot.progress = await load_progress(db, order)
    db.actor = Actor("stranger", number.number, "Recipient", exchange.id)
