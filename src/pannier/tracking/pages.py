"""`/t/{number}`: the tracking page, the same data as JSON, and the data of its map."""

import base64
from typing import Annotated, Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec
from jinja2 import Environment
from litestar import Request, Response, Router
from litestar.datastructures import Cookie
from msgspec import Meta

from pannier.accounts import auth
from pannier.console import assets, basemap, maps, responses
from pannier.console.formatting import to_script_json
from pannier.console.session import read_form
from pannier.db import Db
from pannier.errors import NotFound, TooManyRequests
from pannier.files import links as file_links
from pannier.kit import labels
from pannier.kit.time_zones import LocalZone
from pannier.locales.catalogue import DEFAULT, LANGUAGES, load_part
from pannier.news import opt_outs
from pannier.orders.tracking.links import TicketState
from pannier.payloads import numbers
from pannier.routing import router as routing
from pannier.routing.route import RouteLine
from pannier.settings import Settings
from pannier.tracking import checks, evidence, localization, timeline, view
from pannier.tracking import parcel as parcels
from pannier.tracking.localization import Localizer
from pannier.tracking.parcel import TrackedParcel
from pannier.tracking.schemas import ParcelView, TrackedParcelOut
from pannier.tracking.view import ParcelData
from pannier.web import bodies, problems, templates
from pannier.web.exchange import Exchange, current
from pannier.web.routes import get, post
from pannier.web.serialization import encode

JSON_SUFFIX: Final = ".json"
NEWS_PATH: Final = "/news"
# The body that a mail program sends to unsubscribe (RFC 8058). It does not follow redirects.
ONE_CLICK: Final = b"One-Click"
HEADERS: Final = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
Text = Annotated[str, Meta(max_length=200)]


class PageQuery(msgspec.Struct, frozen=True, kw_only=True):
    """The query parameters of a tracking page."""

    k: Text = ""
    proof: Text = ""
    lang: Annotated[str, Meta(max_length=20)] = ""
    number: Text = ""
    # The recipient of the link, when several people expect the same delivery.
    person: Text = ""

    @property
    def query(self) -> str:
        """The query string for another page of the same delivery."""
        return self._to_query(self.lang)

    def query_in_language(self, language: str) -> str:
        """Return the query string of the same page in another language."""
        return self._to_query(language)

    def _to_query(self, language: str) -> str:
        parameters = {"k": self.k, "proof": self.proof, "person": self.person, "lang": language}
        query = urlencode({name: value for name, value in parameters.items() if value})
        return f"?{query}" if query else ""


class TrackingLinkRequired(NotFound):
    """Without the key from the link, every tracking number returns this error.

    The response does not reveal whether the number exists.
    """

    code = "not_followed"
    title = "This tracking number requires its tracking link."
    remedy = "Use the link from the message."


def _make_environment() -> Environment:
    environment = templates.make_environment("pannier.tracking")
    environment.filters["script_json"] = to_script_json
    environment.globals.update(
        asset=assets.url, icon=assets.render_icon, modules=responses.render_import_map
    )
    return environment


TEMPLATES: Final = _make_environment()


@get("/")
async def show_start(filters: PageQuery, exchange: Exchange) -> Response[bytes]:
    """Ask for a tracking number, or redirect to the page of the entered number."""
    localizer = _make_localizer(exchange, filters)
    if not filters.number:
        return _render_page("enter.html", localizer, filters)
    code = numbers.parse(filters.number)
    if code is None:
        return _render_page(
            "enter.html", localizer, filters, 404, invalid=True, entry=filters.number
        )
    return _redirect(f"/t/{code}{filters.query}")


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
        return _redirect(f"/t/{code}{number[len(raw_number) :]}{filters.query}")
    access = checks.check_access(exchange, code, filters.k, filters.proof)
    parcel = await parcels.find_parcel(db, code) if access.can_view else None
    if number != raw_number:
        return await _render_json(exchange, parcel, router, filters)
    if not access.can_view:
        return _render_secret_form(exchange, filters, code)
    if parcel is None:
        return _render_page(
            "gone.html", _make_localizer(exchange, filters), filters, 404, number=code
        )
    return await _render_parcel(exchange, parcel, router, filters, access.proof)


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
    section = NEWS_PATH if form.get("to") == NEWS_PATH else ""
    if await checks.verify_secret(exchange, parcel, code, form.get("secret", "")):
        return _redirect(f"/t/{code}{section}{filters.query}", checks.make_pass(exchange, code))
    return _render_secret_form(exchange, filters, code, section, is_wrong=True)


def _render_secret_form(
    exchange: Exchange, query: PageQuery, number: str, section: str = "", *, is_wrong: bool = False
) -> Response[bytes]:
    localizer, status = _make_localizer(exchange, query), 422 if is_wrong else 200
    return _render_page(
        "check.html", localizer, query, status, number=number, is_wrong=is_wrong, section=section
    )


@get("/{number:str}/news")
async def show_news(number: str, filters: PageQuery, exchange: Exchange, db: Db) -> Response[bytes]:
    """Show whether notifications are on, with buttons to change that."""
    code, can_view = _check_access(exchange, number, filters)
    parcel = await parcels.find_parcel(db, code) if can_view else None
    if parcel is None:
        return _render_secret_form(exchange, filters, code, NEWS_PATH)
    brand = (await view.load_settings(db, parcel)).branding
    return _render_page(
        "news.html", _make_localizer(exchange, filters), filters,
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
    code, can_view = _check_access(exchange, number, filters)
    await bodies.load(exchange)
    parcel = await parcels.find_parcel(db, code) if can_view else None
    is_one_click = ONE_CLICK in exchange.body
    if parcel is None and is_one_click:
        raise TrackingLinkRequired
    if parcel is None:
        return _render_secret_form(exchange, filters, code, NEWS_PATH)
    action = read_form(exchange).get("news")
    apply_change = {"start": opt_outs.resume_news, "stop_delivery": opt_outs.mute_delivery}.get(
        action or "", opt_outs.opt_out
    )
    await apply_change(db, parcel.number, filters.person)
    if is_one_click:
        return Response(b"", headers=HEADERS)
    return _redirect(f"/t/{code}{NEWS_PATH}{filters.query}")


def _check_access(exchange: Exchange, number: str, query: PageQuery) -> tuple[str, bool]:
    """Return the tracking code, and whether the visitor has access."""
    code = numbers.parse(number)
    if code is None:
        raise TrackingLinkRequired
    return code, checks.check_access(exchange, code, query.k, query.proof).can_view


async def _load_view(
    exchange: Exchange, parcel: TrackedParcel, router: routing.Router, query: PageQuery
) -> tuple[ParcelData, ParcelView, Localizer]:
    data = await view.load_data(exchange.db, parcel)
    localizer = _make_localizer(exchange, query, data)
    async with exchange.edge.suspend_transaction(exchange):
        snapshot, pace = data.snapshot, data.settings.routing
        route = await router.measure(snapshot.points, pace, snapshot.order.profile)
    return data, view.build_view(data, route, localizer), localizer


async def _render_json(
    exchange: Exchange, parcel: TrackedParcel | None, router: routing.Router, query: PageQuery
) -> Response[bytes]:
    """Return the delivery as JSON. Any site can embed it, because the key gives access."""
    if parcel is None:
        raise TrackingLinkRequired
    _, parcel_view, _ = await _load_view(exchange, parcel, router, query)
    headers = {**HEADERS, "Access-Control-Allow-Origin": "*"}
    body = encode(TrackedParcelOut.from_view(parcel_view))
    return Response(body, media_type="application/json", headers=headers)


async def _render_parcel(
    exchange: Exchange,
    parcel: TrackedParcel,
    router: routing.Router,
    query: PageQuery,
    ticket: TicketState,
) -> Response[bytes]:
    proofs = await evidence.load_evidence(exchange.db, parcel, ticket)
    data, parcel_view, localizer = await _load_view(exchange, parcel, router, query)
    # Draw only to the recipient's stop, which is the next one while a position is shown.
    points = data.snapshot.points[:2] if parcel_view.position else []
    async with exchange.edge.suspend_transaction(exchange):
        line = await router.draw(points, data.snapshot.order.profile)
    return _render_page(
        "parcel.html", localizer, query,
        number=parcel_view.number,
        parcel=parcel_view,
        logo=_make_logo_url(exchange.db, data),
        color=data.settings.branding.color,
        stages=timeline.STAGES,
        filled_dots=timeline.count_filled_dots(parcel_view.stage),
        features=build_map_features(parcel_view, line),
        evidence=proofs,
        is_expired=ticket == "expired",
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


def _make_localizer(
    exchange: Exchange, query: PageQuery, data: ParcelData | None = None
) -> Localizer:
    accept_language = exchange.headers.get(b"accept-language", b"").decode("latin-1")
    default_locale = DEFAULT if data is None else data.settings.locale
    preferred_language = localization.choose_language(accept_language, default_locale)
    language = query.lang if query.lang in LANGUAGES else preferred_language
    now = exchange.db.now
    local_zone = LocalZone(ZoneInfo("UTC")) if data is None else view.choose_zone(data, now)
    return Localizer(language, local_zone.zone, now, shows_zone=local_zone.named)


def _render_page(
    template: str,
    localizer: Localizer,
    query: PageQuery,
    status: int = 200,
    cookies: tuple[Cookie, ...] = (),
    **context: Any,  # noqa: ANN401 - the template's context
) -> Response[bytes]:
    body = TEMPLATES.get_template(template).render(
        say=localizer.translate, localizer=localizer, page=query, languages=_languages(), **context
    )
    headers = {
        **HEADERS,
        "Content-Security-Policy": responses.build_content_security_policy(),
        "Content-Language": localizer.language,
        "Vary": "Accept-Language",
    }
    return Response(
        body.encode(), media_type="text/html", status_code=status, headers=headers,
        cookies=list(cookies),
    )  # fmt: skip


def _languages() -> dict[str, str]:
    return {code: load_part(code, "common")[f"languages.{code}"] for code in LANGUAGES}


def _redirect(location: str, *cookies: Cookie) -> Response[bytes]:
    headers = {**HEADERS, "Location": location}
    return Response(b"", status_code=303, headers=headers, cookies=list(cookies))


def handle_error(request: Request[Any, Any, Any], failure: Exception) -> Response[Any]:
    """Render an exception as a page, or as JSON for a JSON request."""
    exchange = current.get()
    if exchange.path.endswith(JSON_SUFFIX):
        response = problems.handle_exception(request, failure)
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response
    exchange.failure = failure
    problem = problems.to_problem(exchange, failure)
    localizer, query = _make_localizer(exchange, PageQuery()), PageQuery()
    if isinstance(problem, TrackingLinkRequired):
        return _render_page("enter.html", localizer, query, problem.status, invalid=True, entry="")
    is_limited = isinstance(problem, TooManyRequests)
    response = _render_page("refused.html", localizer, query, problem.status, is_limited=is_limited)
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
            show_start, show_parcel, submit_secret, show_news, change_news, show_brand_style,
            show_basemap, show_tile,
        ],
        before_request=auth.allow_anonymous,
        exception_handlers={Exception: handle_error},
        include_in_schema=False,
        security=[{}],
    ),
)  # fmt: skip
