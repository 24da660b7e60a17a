"""The shared parts of the tracking pages: queries, access, templates and languages."""

from datetime import timedelta
from typing import Annotated, Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec
from jinja2 import Environment
from litestar import Response
from litestar.datastructures import Cookie
from msgspec import Meta

from pannier.accounts.tokens.auth import read_cookie
from pannier.console import assets, responses
from pannier.console.formatting import to_script_json
from pannier.errors import NotFound
from pannier.kit.time_zones import LocalZone
from pannier.locales.catalogue import DEFAULT, LANGUAGES, load_part
from pannier.payloads import numbers
from pannier.routing import router as routing
from pannier.tracking import checks, localization, view
from pannier.tracking.checks import Access
from pannier.tracking.localization import Localizer
from pannier.tracking.parcel import TrackedParcel
from pannier.tracking.schemas import ParcelView
from pannier.tracking.view import ParcelData
from pannier.web import templates
from pannier.web.exchange import Exchange

HEADERS: Final = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
LANGUAGE_COOKIE: Final = "pannier_t_language"
LANGUAGE_LIFETIME: Final = timedelta(days=365)
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


def check_access(exchange: Exchange, number: str, query: PageQuery) -> tuple[str, Access]:
    """Return the tracking code, and the visitor's access."""
    code = numbers.parse(number)
    if code is None:
        raise TrackingLinkRequired
    return code, checks.check_access(exchange, code, query.k, query.proof)


def render_secret_form(
    exchange: Exchange, query: PageQuery, number: str, section: str = "", *, is_wrong: bool = False
) -> Response[bytes]:
    localizer, status = make_localizer(exchange, query), 422 if is_wrong else 200
    return render_page(
        "check.html", localizer, query, status, number=number, is_wrong=is_wrong, section=section
    )


async def load_view(
    exchange: Exchange, parcel: TrackedParcel, router: routing.Router, query: PageQuery
) -> tuple[ParcelData, ParcelView, Localizer]:
    data = await view.load_data(exchange.db, parcel)
    localizer = make_localizer(exchange, query, data)
    async with exchange.edge.suspend_transaction(exchange):
        snapshot, pace = data.snapshot, data.settings.routing
        route = await router.measure(snapshot.points, pace, snapshot.order.profile)
    return data, view.build_view(data, route, localizer), localizer


def make_localizer(
    exchange: Exchange, query: PageQuery, data: ParcelData | None = None
) -> Localizer:
    accept_language = exchange.headers.get(b"accept-language", b"").decode("latin-1")
    default_locale = DEFAULT if data is None else data.settings.locale
    choices = (query.lang, read_cookie(exchange, LANGUAGE_COOKIE))
    language = next(
        (choice for choice in choices if choice in LANGUAGES),
        localization.choose_language(accept_language, default_locale),
    )
    now = exchange.db.now
    local_zone = LocalZone(ZoneInfo("UTC")) if data is None else view.choose_zone(data, now)
    return Localizer(language, local_zone.zone, now, shows_zone=local_zone.named)


def render_page(
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
        "Vary": "Accept-Language, Cookie",
    }
    return Response(
        body.encode(), media_type="text/html", status_code=status, headers=headers,
        cookies=[*cookies, *_remember_language(query)],
    )  # fmt: skip


def _remember_language(query: PageQuery) -> list[Cookie]:
    """Remember a chosen language, so that links in later messages open in it."""
    if query.lang not in LANGUAGES:
        return []
    return [
        Cookie(
            LANGUAGE_COOKIE, value=query.lang, path="/t", httponly=True, samesite="lax",
            max_age=int(LANGUAGE_LIFETIME.total_seconds()),
        )
    ]  # fmt: skip


def _languages() -> dict[str, str]:
    return {code: load_part(code, "common")[f"languages.{code}"] for code in LANGUAGES}


def redirect(location: str, *cookies: Cookie) -> Response[bytes]:
    headers = {**HEADERS, "Location": location}
    return Response(b"", status_code=303, headers=headers, cookies=list(cookies))
