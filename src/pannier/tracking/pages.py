"""`/t/{number}`: the tracking page, the same data as JSON, and the data of its map."""

import base64
from datetime import timedelta
from typing import Any, Final

import msgspec
from litestar import Request, Response, Router

from pannier.accounts import auth
from pannier.console import assets, basemap, maps
from pannier.console.session import read_form
from pannier.db import Db
from pannier.errors import TooManyRequests
from pannier.files import links as file_links
from pannier.kit import labels
from pannier.news import opt_outs
from pannier.orders.tracking import links
from pannier.payloads import numbers
from pannier.routing import router as routing
from pannier.routing.route import RouteLine
from pannier.settings import Settings
from pannier.tracking import (
    checks,
    evidence,
    instructions,
    rating,
    rendering,
    rescheduling,
    timeline,
    view,
)
from pannier.tracking import parcel as parcels
from pannier.tracking.changing import RecipientVisit
from pannier.tracking.checks import Access
from pannier.tracking.parcel import TrackedParcel
from pannier.tracking.rendering import HEADERS, PageQuery, TrackingLinkRequired
from pannier.tracking.schemas import ParcelView, TrackedParcelOut
from pannier.tracking.view import ParcelData
from pannier.web import bodies, problems
from pannier.web.exchange import Exchange, current
from pannier.web.routes import get, post
from pannier.web.serialization import encode

JSON_SUFFIX: Final = ".json"
NEWS_PATH: Final = "/news"
PROOF_PATH: Final = "/proof"
# How long a ticket shows the proof to a recipient who entered the secret.
PROOF_LIFETIME: Final = timedelta(hours=1)
# Pages that ask for the secret first, and are shown once it is correct.
SECTIONS: Final = frozenset(
    {NEWS_PATH, instructions.PATH, rescheduling.PATH, rating.PATH, PROOF_PATH}
)
# The body that a mail program sends to unsubscribe (RFC 8058). It does not follow redirects.
ONE_CLICK: Final = b"One-Click"


@get("/")
async def show_start(filters: PageQuery, exchange: Exchange) -> Response[bytes]:
    """Ask for a tracking number, or redirect to the page of the entered number."""
    localizer = rendering.make_localizer(exchange, filters)
    if not filters.number:
        return rendering.render_page("enter.html", localizer, filters)
    code = numbers.parse(filters.number)
    if code is None:
        return rendering.render_page(
            "enter.html", localizer, filters, 404, invalid=True, entry=filters.number
        )
    return rendering.redirect(f"/t/{code}{filters.query}")


@get("/{number:str}")
async def show_parcel(
    number: str, filters: PageQuery, exchange: Exchange, db: Db, router: routing.Router
) -> Response[bytes]:
    """Show the progress of a delivery to visitors who have access."""
    raw_number = number.removesuffix(JSON_SUFFIX)
    code = numbers.parse(raw_number)
    if code is None:
        raise TrackingLinkRequired
    if code != raw_number:
        return rendering.redirect(f"/t/{code}{number[len(raw_number) :]}{filters.query}")
    access = checks.check_access(exchange, code, filters.k, filters.proof)
    parcel = await parcels.find_parcel(db, code) if access.can_view else None
    if number != raw_number:
        return await _render_json(exchange, parcel, router, filters)
    if not access.can_view:
        return rendering.render_secret_form(exchange, filters, code)
    if parcel is None:
        return rendering.render_page(
            "gone.html", rendering.make_localizer(exchange, filters), filters, 404, number=code
        )
    return await _render_parcel(exchange, parcel, router, filters, access)


@post("/{number:str}", status_code=200)
async def submit_secret(
    number: str, filters: PageQuery, exchange: Exchange, db: Db
) -> Response[bytes]:
    """Give a visitor temporary access if the secret is correct."""
    code = numbers.parse(number)
    if code is None:
        raise TrackingLinkRequired
    checks.check_access(exchange, code, filters.k, filters.proof)
    await bodies.load(exchange)
    parcel = await parcels.find_parcel(db, code)
    form = read_form(exchange)
    section = form.get("to", "") if form.get("to") in SECTIONS else ""
    if await checks.verify_secret(exchange, parcel, code, form.get("secret", "")):
        return rendering.redirect(
            f"/t/{code}{section}{filters.query}", checks.make_pass(exchange, code)
        )
    return rendering.render_secret_form(exchange, filters, code, section, is_wrong=True)


@get("/{number:str}/proof")
async def show_proof(
    number: str, filters: PageQuery, exchange: Exchange, db: Db
) -> Response[bytes]:
    """Give the recipient a fresh ticket for the proof, after the secret."""
    code, access = rendering.check_access(exchange, number, filters)
    if access.has_link and not access.can_change:
        return rendering.render_secret_form(exchange, filters, code, PROOF_PATH)
    if access.can_change:
        ticket = links.make_ticket(db.database.keys, code, db.now + PROOF_LIFETIME)
        filters = msgspec.structs.replace(filters, proof=ticket)
    return rendering.redirect(f"/t/{code}{filters.query}")


@get("/{number:str}/news")
async def show_news(number: str, filters: PageQuery, exchange: Exchange, db: Db) -> Response[bytes]:
    """Show whether notifications are on, with buttons to change that."""
    code, access = rendering.check_access(exchange, number, filters)
    parcel = await parcels.find_parcel(db, code) if access.can_view else None
    if parcel is None:
        return rendering.render_secret_form(exchange, filters, code, NEWS_PATH)
    brand = (await view.load_settings(db, parcel)).branding
    return rendering.render_page(
        "news.html", rendering.make_localizer(exchange, filters), filters,
        number=code,
        brand=brand.name,
        color=brand.color,
        state=await opt_outs.load_news_state(db, parcel.number, filters.person),
    )  # fmt: skip


@post("/{number:str}/news", status_code=200)
async def change_news(
    number: str, filters: PageQuery, exchange: Exchange, db: Db
) -> Response[bytes]:
    """Turn notifications off, for this delivery or for the company, or on again.

    A mail program's one-click request unsubscribes from the company, not from one delivery.
    """
    code, access = rendering.check_access(exchange, number, filters)
    await bodies.load(exchange)
    parcel = await parcels.find_parcel(db, code) if access.can_view else None
    is_one_click = ONE_CLICK in exchange.body
    if parcel is None and is_one_click:
        raise TrackingLinkRequired
    if parcel is None:
        return rendering.render_secret_form(exchange, filters, code, NEWS_PATH)
    action = read_form(exchange).get("news")
    apply_change = {"start": opt_outs.resume_news, "stop_delivery": opt_outs.mute_delivery}.get(
        action or "", opt_outs.opt_out
    )
    await apply_change(db, parcel.number, filters.person)
    if is_one_click:
        return Response(b"", headers=HEADERS)
    return rendering.redirect(f"/t/{code}{NEWS_PATH}{filters.query}")


async def _render_json(
    exchange: Exchange, parcel: TrackedParcel | None, router: routing.Router, query: PageQuery
) -> Response[bytes]:
    """Return the delivery as JSON. Any site can embed it, because the key gives access."""
    if parcel is None:
        raise TrackingLinkRequired
    _, parcel_view, _ = await rendering.load_view(exchange, parcel, router, query)
    headers = {**HEADERS, "Access-Control-Allow-Origin": "*"}
    body = encode(TrackedParcelOut.from_view(parcel_view))
    return Response(body, media_type="application/json", headers=headers)


async def _render_parcel(
    exchange: Exchange,
    parcel: TrackedParcel,
    router: routing.Router,
    query: PageQuery,
    access: Access,
) -> Response[bytes]:
    proofs = await evidence.load_evidence(exchange.db, parcel, access.proof)
    can_ask = access.has_link and access.proof != "good" and bool(parcels.list_secrets(parcel))
    has_proof = can_ask and await evidence.has_evidence(exchange.db, parcel)
    visit = RecipientVisit(*await rendering.load_view(exchange, parcel, router, query))
    data, parcel_view, localizer = visit.data, visit.view, visit.localizer
    # Draw only to the recipient's stop, which is the next one while a position is shown.
    points = data.snapshot.points[:2] if parcel_view.position else []
    async with exchange.edge.suspend_transaction(exchange):
        line = await router.draw(points, data.snapshot.order.profile)
    return rendering.render_page(
        "parcel.html", localizer, query,
        number=parcel_view.number,
        parcel=parcel_view,
        logo=_make_logo_url(exchange.db, data),
        color=data.settings.branding.color,
        stages=timeline.STAGES,
        filled_dots=timeline.count_filled_dots(parcel_view.stage),
        features=build_map_features(parcel_view, line),
        evidence=proofs,
        is_expired=access.proof == "expired",
        has_proof=has_proof,
        contact=data.settings.recipients,
        can_instruct=access.has_link and instructions.is_open(visit),
        can_rate=access.has_link and rating.is_open(visit),
        rating=rating.get_rating(parcel) if access.has_link else None,
        can_move=access.has_link and bool(rescheduling.list_open_slots(visit)),
        instructions=instructions.get_instructions(parcel) if access.has_link else None,
        qr=base64.b64encode(labels.render_qr(parcel_view.number, "svg")).decode(),
    )  # fmt: skip


def build_map_features(parcel_view: ParcelView, route: RouteLine | None) -> dict[str, Any]:
    """Build map features of the driver, the destination and the route while the driver is near."""
    if parcel_view.position is None:
        return maps.collection([])
    destination = parcel_view.address.location if parcel_view.address else None
    features = [
        None if route is None else maps.line("route", "", route.coordinates, "blue"),
        maps.point(
            "driver",
            "",
            msgspec.to_builtins(parcel_view.position),
            "blue",
            heading=parcel_view.heading,
        ),
        None
        if destination is None
        else maps.point(
            "door",
            (parcel_view.address.street if parcel_view.address else "") or "",
            msgspec.to_builtins(destination),
            "green",
        ),
    ]
    return maps.collection(features)


def _make_logo_url(db: Db, data: ParcelData) -> str | None:
    """Return the address of the company's logo, valid for an hour."""
    file = data.logo
    if file is None:
        return None
    query = file_links.sign_query(
        db.database.keys, file.public_id, db.now + file_links.LINK_LIFETIME
    )
    return f"/files/{file.public_id}?{query}"


def handle_error(request: Request[Any, Any, Any], failure: Exception) -> Response[Any]:
    """Render an exception as a page, or as JSON for a JSON request."""
    exchange = current.get()
    if exchange.path.endswith(JSON_SUFFIX):
        response = problems.handle_exception(request, failure)
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response
    exchange.failure = failure
    problem = problems.to_problem(exchange, failure)
    localizer, query = rendering.make_localizer(exchange, PageQuery()), PageQuery()
    if isinstance(problem, TrackingLinkRequired):
        return rendering.render_page(
            "enter.html", localizer, query, problem.status, invalid=True, entry=""
        )
    is_limited = isinstance(problem, TooManyRequests)
    response = rendering.render_page(
        "refused.html", localizer, query, problem.status, is_limited=is_limited
    )
    response.headers.update(problem.headers)
    return response


@get("/-/brand/{color:str}")
async def show_brand_style(color: str) -> Response[bytes]:
    """Render the brand color as a style sheet: the page's policy allows no inline styles."""
    color_code = color.removesuffix(".css")
    if len(color_code) != len("rrggbb") or not set(color_code.lower()) <= set("0123456789abcdef"):
        raise TrackingLinkRequired
    headers = {"Cache-Control": assets.CACHE_FOREVER}
    style_sheet = f":root{{--brand:#{color_code}}}".encode()
    return Response(style_sheet, media_type="text/css", headers=headers)


@get("/-/basemap/{theme:str}")
async def show_basemap(theme: str, settings: Settings) -> basemap.Basemap:
    """Return the base map in the light or the dark theme."""
    return basemap.build_basemap(settings, basemap.parse_theme(theme), basemap.PUBLIC_TILES_URL)


@get("/-/tiles/{z:str}/{x:str}/{name:str}")
async def show_tile(z: str, x: str, name: str, settings: Settings) -> Response[bytes]:
    """Return a vector tile of the configured file."""
    return await basemap.load_tile(settings, z, x, name)


routers: Final = (
    Router(
        "/t",
        route_handlers=[
            show_start, show_parcel, submit_secret, show_news, change_news,
            show_proof, instructions.show_instructions, instructions.change_instructions,
            rescheduling.show_times, rescheduling.change_time, rating.show_rating,
            rating.change_rating, show_brand_style, show_basemap, show_tile,
        ],
        before_request=auth.allow_anonymous,
        exception_handlers={Exception: handle_error},
        include_in_schema=False,
        security=[{}],
    ),
)  # fmt: skip
