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
from pannier.console import assets, basemap, maps, render
from pannier.console.door import sent
from pannier.console.words import script_json
from pannier.db import Db
from pannier.errors import NotFound, TooManyRequests
from pannier.files import links as file_links
from pannier.kit import labels
from pannier.kit.zones import Local
from pannier.locales.catalogue import DEFAULT, LANGUAGES, load_part
from pannier.news import quiet
from pannier.orders.tracking.links import Ticket
from pannier.payloads import numbers
from pannier.routing import router as routing
from pannier.settings import Settings
from pannier.tracking import checks, evidence, parcel, timeline, view, words
from pannier.tracking.parcel import Parcel
from pannier.tracking.schemas import Following, FollowingOut
from pannier.tracking.view import Gathered
from pannier.tracking.words import Speech
from pannier.web import bodies, problems, templates
from pannier.web.exchange import Exchange, current
from pannier.web.routes import get, post
from pannier.web.spelling import encode

JSON: Final = ".json"
NEWS: Final = "/news"
# The body that a mail program sends to unsubscribe (RFC 8058). It does not follow redirects.
ONE_CLICK: Final = b"One-Click"
HEADERS: Final = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
TILES: Final = "/t/-/tiles/{z}/{x}/{y}.mvt"
Text = Annotated[str, Meta(max_length=200)]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
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
        return self._spelled(self.lang)

    def speaking(self, language: str) -> str:
        """Return the query string of the same page in another language."""
        return self._spelled(language)

    def _spelled(self, language: str) -> str:
        kept = {"k": self.k, "proof": self.proof, "person": self.person, "lang": language}
        spelled = urlencode({name: value for name, value in kept.items() if value})
        return f"?{spelled}" if spelled else ""


class NotFollowed(NotFound):
    """A tracking number shows nothing without its key, whether it exists or not."""

    code = "not_followed"
    title = "This tracking number needs its link."
    remedy = "Use the link that was sent."


def _environment() -> Environment:
    made = templates.environment("pannier.tracking")
    made.filters["script_json"] = script_json
    made.globals.update(asset=assets.address, icon=assets.icon, modules=render.import_map)
    return made


TEMPLATES: Final = _environment()


@get("/")
async def front(filters: Asked, exchange: Exchange) -> Response[bytes]:
    """Ask for a tracking number, or redirect to the page of the one that was entered."""
    speech = _speech(exchange, filters)
    if not filters.number:
        return _page("enter.html", speech, filters)
    found = numbers.normalise(filters.number)
    if found is None:
        return _page("enter.html", speech, filters, 404, slip=True, typed=filters.number)
    return _led(f"/t/{found}{filters.query}")


@get("/{number:str}")
async def follow(
    number: str, filters: Asked, exchange: Exchange, db: Db, router: routing.Router
) -> Response[bytes]:
    """Show the progress of a delivery to visitors who have access."""
    wanted = number.removesuffix(JSON)
    name = numbers.normalise(wanted)
    if name is None:
        raise NotFollowed
    if name != wanted:
        return _led(f"/t/{name}{number[len(wanted) :]}{filters.query}")
    access = checks.access(exchange, name, filters.k, filters.proof)
    found = await parcel.find(db, name) if access.page else None
    if number != wanted:
        return await _json(exchange, found, router, filters)
    if not access.page:
        return _asking(exchange, filters, name)
    if found is None:
        return _page("gone.html", _speech(exchange, filters), filters, 404, number=name)
    return await _shown(exchange, found, router, filters, access.proof)


@post("/{number:str}", status_code=200)
async def knock(number: str, filters: Asked, exchange: Exchange, db: Db) -> Response[bytes]:
    """Give a visitor access for a while if the secret is correct."""
    name = numbers.normalise(number)
    if name is None:
        raise NotFollowed
    checks.access(exchange, name, filters.k, filters.proof)
    await bodies.load(exchange)
    found = await parcel.find(db, name)
    form = sent(exchange)
    to = NEWS if form.get("to") == NEWS else ""
    if await checks.try_at(exchange, found, name, form.get("secret", "")):
        return _led(f"/t/{name}{to}{filters.query}", checks.pass_for(exchange, name))
    return _asking(exchange, filters, name, to, wrong=True)


def _asking(
    exchange: Exchange, asked: Asked, number: str, to: str = "", *, wrong: bool = False
) -> Response[bytes]:
    speech, status = _speech(exchange, asked), 422 if wrong else 200
    return _page("check.html", speech, asked, status, number=number, wrong=wrong, to=to)


@get("/{number:str}/news")
async def news_of(number: str, filters: Asked, exchange: Exchange, db: Db) -> Response[bytes]:
    """Show whether notifications are on, and the buttons that change it."""
    name, may = _judged(exchange, number, filters)
    found = await parcel.find(db, name) if may else None
    if found is None:
        return _asking(exchange, filters, name, NEWS)
    brand = (await view.settings_of(db, found)).branding
    return _page(
        "news.html", _speech(exchange, filters), filters,
        number=name,
        brand=brand.name,
        color=brand.color,
        state=await quiet.read_state(db, found.number, filters.person),
    )  # fmt: skip


@post("/{number:str}/news", status_code=200)
async def change_news(number: str, filters: Asked, exchange: Exchange, db: Db) -> Response[bytes]:
    """Turn off notifications of this delivery or of the company, or turn them on again.

    A mail program's one-click request turns off all of them, because it addresses the sender and
    not a message.
    """
    name, may = _judged(exchange, number, filters)
    await bodies.load(exchange)
    found = await parcel.find(db, name) if may else None
    one_click = ONE_CLICK in exchange.body
    if found is None and one_click:
        raise NotFollowed
    if found is None:
        return _asking(exchange, filters, name, NEWS)
    wish = sent(exchange).get("news")
    change = {"start": quiet.resume, "stop_delivery": quiet.mute}.get(wish or "", quiet.stop)
    await change(db, found.number, filters.person)
    if one_click:
        return Response(b"", headers=HEADERS)
    return _led(f"/t/{name}{NEWS}{filters.query}")


def _judged(exchange: Exchange, number: str, asked: Asked) -> tuple[str, bool]:
    """Return the number and whether the visitor has access, before anything is read."""
    name = numbers.normalise(number)
    if name is None:
        raise NotFollowed
    return name, checks.access(exchange, name, asked.k, asked.proof).page


async def _gathered(
    exchange: Exchange, found: Parcel, router: routing.Router, asked: Asked
) -> tuple[Gathered, Following, Speech]:
    gathered = await view.gather(exchange.db, found)
    speech = _speech(exchange, asked, gathered)
    async with exchange.edge.outside(exchange):
        way = await router.along(gathered.sight.points, gathered.settings.routing)
    return gathered, view.following(gathered, way, speech), speech


async def _json(
    exchange: Exchange, found: Parcel | None, router: routing.Router, asked: Asked
) -> Response[bytes]:
    """Return the delivery as JSON. Any site can embed it, because the key gives access."""
    if found is None:
        raise NotFollowed
    _, shown, _ = await _gathered(exchange, found, router, asked)
    headers = {**HEADERS, "Access-Control-Allow-Origin": "*"}
    return Response(encode(FollowingOut.of(shown)), media_type="application/json", headers=headers)


async def _shown(
    exchange: Exchange, found: Parcel, router: routing.Router, asked: Asked, ticket: Ticket
) -> Response[bytes]:
    pictures = await evidence.of(exchange.db, found) if ticket == "good" else []
    gathered, shown, speech = await _gathered(exchange, found, router, asked)
    return _page(
        "parcel.html", speech, asked,
        number=shown.number,
        parcel=shown,
        logo=_logo(exchange.db, gathered),
        color=gathered.settings.branding.color,
        dots=timeline.STAGES,
        reached=timeline.reached(shown.stage),
        features=features(shown),
        evidence=pictures,
        expired=ticket == "expired",
        qr=base64.b64encode(labels.qr(shown.number, "svg")).decode(),
    )  # fmt: skip


def features(shown: Following) -> dict[str, Any]:
    """Return the driver and the destination as map features while the driver is near."""
    if shown.position is None:
        return maps.collection([])
    door = shown.door.location if shown.door else None
    spots = [
        maps.point("driver", "", msgspec.to_builtins(shown.position), "blue",
                   heading=shown.heading),
        None if door is None else maps.point(
            "door", (shown.door.street if shown.door else "") or "", msgspec.to_builtins(door),
            "green"),
    ]  # fmt: skip
    return maps.collection(spots)


def _logo(db: Db, found: Gathered) -> str | None:
    """Return the address of the company's logo, valid for an hour."""
    file = found.logo
    if file is None:
        return None
    query = file_links.sign(db.database.keys, file.public_id, db.now + file_links.LIFE)
    return f"/files/{file.public_id}?{query}"


def _speech(exchange: Exchange, asked: Asked, found: Gathered | None = None) -> Speech:
    accepted = exchange.headers.get(b"accept-language", b"").decode("latin-1")
    own = DEFAULT if found is None else found.settings.locale
    chosen = asked.lang if asked.lang in LANGUAGES else words.preferred(accepted, own)
    now = exchange.db.now
    local = Local(ZoneInfo("UTC")) if found is None else view.local(found, now)
    return Speech(chosen, local.zone, now, named=local.named)


def _page(
    template: str,
    speech: Speech,
    asked: Asked,
    status: int = 200,
    cookies: tuple[Cookie, ...] = (),
    **given: Any,  # noqa: ANN401 - the template's context
) -> Response[bytes]:
    body = TEMPLATES.get_template(template).render(
        say=speech.say, speech=speech, asked=asked, languages=_language_names(), **given
    )
    headers = {
        **HEADERS, "Content-Security-Policy": render.policy(), "Content-Language": speech.language,
        "Vary": "Accept-Language",
    }  # fmt: skip
    return Response(
        body.encode(), media_type="text/html", status_code=status, headers=headers,
        cookies=list(cookies),
    )  # fmt: skip


def _language_names() -> dict[str, str]:
    return {code: load_part(code, "common")[f"languages.{code}"] for code in LANGUAGES}


def _led(to: str, *cookies: Cookie) -> Response[bytes]:
    headers = {**HEADERS, "Location": to}
    return Response(b"", status_code=303, headers=headers, cookies=list(cookies))


def refuse(request: Request[Any, Any, Any], failure: Exception) -> Response[Any]:
    """Answer an exception as a page, or as JSON if the request asked for JSON."""
    exchange = current.get()
    if exchange.path.endswith(JSON):
        answer = problems.handle(request, failure)
        answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer
    exchange.failure = failure
    problem = problems.told(exchange, failure)
    speech, asked = _speech(exchange, Asked()), Asked()
    if isinstance(problem, NotFollowed):
        return _page("enter.html", speech, asked, problem.status, slip=True, typed="")
    many = isinstance(problem, TooManyRequests)
    answer = _page("refused.html", speech, asked, problem.status, many=many)
    answer.headers.update(problem.headers)
    return answer


@get("/-/brand/{color:str}")
async def brand(color: str) -> Response[bytes]:
    """Return the brand color as a style sheet: the page's policy allows no inline styles."""
    name = color.removesuffix(".css")
    if len(name) != len("rrggbb") or not set(name.lower()) <= set("0123456789abcdef"):
        raise NotFollowed
    headers = {"Cache-Control": assets.KEPT}
    return Response(f":root{{--brand:#{name}}}".encode(), media_type="text/css", headers=headers)


@get("/-/basemap/{theme:str}")
async def ground(theme: str, settings: Settings) -> basemap.Basemap:
    """Return the base map in the light or the dark theme."""
    return basemap.basemap(settings, basemap.themed(theme), TILES)


@get("/-/tiles/{z:str}/{x:str}/{name:str}")
async def tile(z: str, x: str, name: str, settings: Settings) -> Response[bytes]:
    """Return a vector tile of the configured file."""
    return await basemap.tile_of(settings, z, x, name)


routers: Final = (
    Router(
        "/t",
        route_handlers=[front, follow, knock, news_of, change_news, brand, ground, tile],
        before_request=auth.anonymous,
        exception_handlers={Exception: refuse},
        include_in_schema=False,
        security=[{}],
    ),
)
