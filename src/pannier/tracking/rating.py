"""`/t/{number}/rating`: the form in which a recipient rates the delivery."""

from typing import Final

import msgspec
from litestar import Response

from pannier.console.session import FormData, read_form
from pannier.orders.recipient_changes import rules, service
from pannier.payloads import ratings
from pannier.payloads.ratings import DeliveryRating
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

PATH: Final = "/rating"
SCORES: Final = {str(score): score for score in range(1, ratings.MAX_SCORE + 1)}


@get("/{number:str}/rating")
async def show_rating(
    number: str, filters: PageQuery, exchange: Exchange, router: routing.Router
) -> Response[bytes]:
    """Show the form with the rating, if there is one already."""
    visit = await changing.begin_visit(exchange, number, filters, router, PATH)
    if isinstance(visit, Response):
        return visit
    return _render_form(filters, visit, get_rating(visit.parcel))


@post("/{number:str}/rating", status_code=200)
async def change_rating(
    number: str, filters: PageQuery, exchange: Exchange, router: routing.Router
) -> Response[bytes]:
    """Save the rating, once the delivery was made and while the rating can change."""
    await bodies.load(exchange)
    visit = await changing.begin_visit(exchange, number, filters, router, PATH)
    if isinstance(visit, Response):
        return visit
    await changing.lock_order(exchange, visit)
    current_rating = get_rating(visit.parcel)
    rating = _parse_form(read_form(exchange), to_rfc3339(visit.localizer.now))
    if rating is None:
        return _render_form(filters, visit, current_rating, 422, is_incomplete=True)
    if not is_open(visit):
        return _render_form(filters, visit, current_rating, 409)
    if current_rating is not None:
        rating = msgspec.structs.replace(rating, rated_at=current_rating.rated_at)
    await service.rate(exchange.db, visit.parcel.aggregate, visit.parcel.dropoff, rating)
    return rendering.redirect(f"/t/{visit.parcel.number.number}{filters.query}")


def _parse_form(form: FormData, rated_at: str) -> DeliveryRating | None:
    """Parse the form. Return None if no score was chosen."""
    score = SCORES.get(form.get("score", ""))
    if score is None:
        return None
    comment = clean_text(form.get("comment", ""), ratings.MAX_COMMENT_LENGTH)
    return DeliveryRating(score=score, comment=comment or None, rated_at=rated_at)


def get_rating(parcel: TrackedParcel) -> DeliveryRating | None:
    """Return the rating of the recipient's stop, or of an order without stops."""
    return (parcel.dropoff or parcel.order).rating


def is_open(visit: RecipientVisit) -> bool:
    """Return whether the recipient can rate the delivery, or change the rating, now."""
    recipients, now = visit.data.settings.recipients, visit.localizer.now
    return visit.is_changeable and rules.accepts_rating(recipients, visit.state, now)


def _render_form(
    query: PageQuery,
    visit: RecipientVisit,
    rating: DeliveryRating | None,
    status: int = 200,
    *,
    is_incomplete: bool = False,
) -> Response[bytes]:
    return rendering.render_page(
        "rating.html", visit.localizer, query, status,
        number=visit.parcel.number.number,
        brand=visit.data.settings.branding.name,
        color=visit.data.settings.branding.color,
        rating=rating,
        scores=SCORES.values(),
        max_length=ratings.MAX_COMMENT_LENGTH,
        can_rate=is_open(visit),
        is_incomplete=is_incomplete,
    )  # fmt: skip
