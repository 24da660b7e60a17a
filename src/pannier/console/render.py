"""HTML responses: the template environment, and the variables that all pages share."""

import hashlib
import secrets
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote, unquote, urlencode

import msgspec
from jinja2 import Environment
from litestar import Response
from litestar.datastructures import Cookie
from markupsafe import Markup

from pannier.accounts.tokens.auth import cookie
from pannier.console import assets, door, lookup, origins, words
from pannier.console.desk import Desk
from pannier.console.navigation import AREAS
from pannier.web import templates
from pannier.web.exchange import SAFE_METHODS, Exchange, current

HTML: Final = "text/html"
# Characters that stay unquoted in a URL. Any other one could end the header.
ADDRESS: Final = "/?&=%#:,;+~@!$'()*[]"
SAID: Final = "pannier_said"
REFUSED: Final = "pannier_refused"
LONGEST_NOTE: Final = 3_000
# The files behind the module names in our scripts.
MODULES: Final = {
    "maplibre-gl": "vendor/maplibre/maplibre-gl.mjs",
    "topojson-client": "vendor/topojson/index.js",
}


def _environment() -> Environment:
    made = templates.environment("pannier.console")
    made.filters.update(words.FILTERS)
    made.globals.update(
        icon=assets.icon,
        asset=assets.address,
        address=address,
        areas=AREAS,
        modules=import_map,
        once=lambda: secrets.token_urlsafe(12),
    )
    return made


@lru_cache(maxsize=1)
def import_map() -> Markup:
    """Render the import map. The policy allows it by its hash."""
    imports = {name: assets.address(path) for name, path in MODULES.items()}
    return Markup(msgspec.json.encode({"imports": imports}).decode())  # noqa: S704 - our own


@lru_cache(maxsize=1)
def import_map_hash() -> str:
    """Return the hash source that allows the import map in a policy."""
    digest = b64encode(hashlib.sha256(import_map().encode()).digest()).decode()
    return f"'sha256-{digest}'"


def policy() -> str:
    """Return the policy of a page: our own files, and the configured map."""
    return spelled(origins.sources(current.get().edge.settings))


@lru_cache(maxsize=8)
def spelled(maps: str) -> str:
    return (
        f"default-src 'none'; script-src 'self' {import_map_hash()}; style-src 'self'; "
        f"font-src 'self'; img-src 'self' data: blob:{maps}; connect-src 'self'{maps}; "
        "worker-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def address(path: str, query: Mapping[str, Any] | None = None, **more: Any) -> str:  # noqa: ANN401 - any value
    """Build a console URL. Empty query parameters are left out."""
    given = {**(query or {}), **more}
    kept = [(name, value) for name, value in given.items() if value not in {"", None}]
    return f"{path}?{urlencode(kept)}" if kept else path


async def page(
    desk: Desk,
    template: str,
    *,
    title: str,
    status: int = 200,
    at: str = "",
    **given: Any,  # noqa: ANN401 - the template's context
) -> Response[bytes]:
    """Render a page for the signed-in operator.

    `url` is where the page can be loaded again, if it answers a form sent to another address.
    """
    exchange = desk.exchange
    company = await _company(desk)
    said, refused = _noted(exchange, SAID), _noted(exchange, REFUSED)
    body = TEMPLATES.get_template(template).render(
        desk=desk,
        operator=desk.caller,
        company=company,
        zone=words.Zone.of(company),
        now=exchange.db.now,
        csrf=door.csrf_of(exchange),
        path=exchange.path,
        at="" if exchange.method in SAFE_METHODS else at,
        said=said,
        refused=refused,
        title=title,
        record_names=await _record_names(desk, given),
        **given,
    )
    return dressed(body, status, forget=bool(said or refused))


def bare(template: str, *, status: int = 200, **given: Any) -> Response[bytes]:  # noqa: ANN401 - the template's context
    """Render a page for visitors who are not signed in."""
    body = TEMPLATES.get_template(template).render(**given)
    return dressed(body, status)


def dressed(body: str, status: int, *, forget: bool = False) -> Response[bytes]:
    """Return an HTML response with the headers of every page."""
    headers = {
        "Content-Security-Policy": policy(),
        "Referrer-Policy": "same-origin",
    }
    gone = [Cookie(name, value="", max_age=0, path="/console") for name in (SAID, REFUSED)]
    return Response(
        body.encode(), media_type=HTML, status_code=status, headers=headers,
        cookies=gone if forget else [],
    )  # fmt: skip


def led(exchange: Exchange, to: str, *, said: str = "", refused: str = "") -> Response[bytes]:
    """Redirect to another page, which then shows the message."""
    notes = [(SAID, said), (REFUSED, refused)]
    cookies = [
        Cookie(
            name, value=noted(text), max_age=60, path="/console", samesite="lax",
            httponly=True, secure=exchange.secure,
        )
        for name, text in notes
        if text
    ]  # fmt: skip
    return Response(
        b"", status_code=303, headers={"Location": quote(to, safe=ADDRESS)}, cookies=cookies
    )


def noted(text: str) -> str:
    """Encode a message for a cookie, cut so that browsers keep it (4,096 bytes)."""
    while len(spelled_out := quote(text)) > LONGEST_NOTE:
        text = text[: len(text) // 2] + "…"
    return spelled_out


def _noted(exchange: Exchange, name: str) -> str:
    return unquote(cookie(exchange, name))


async def _record_names(desk: Desk, given: Mapping[str, Any]) -> dict[str, str]:
    """Load the names of the records in the page's forms and filters."""
    shown = (given.get(name) or {} for name in ("filled", "given"))
    values = [value for filled in shown if isinstance(filled, Mapping) for value in filled.values()]
    return await lookup.labels(desk, [value for value in values if isinstance(value, str)])


async def _company(desk: Desk) -> Any:  # noqa: ANN401 - JSON
    """Load the company data that every page shows: name, mode and settings."""
    settings = await desk.get("/int/v1/settings")
    me = await desk.get("/int/v1/me")
    return {**me["company"], "settings": settings}


TEMPLATES: Final = _environment()
