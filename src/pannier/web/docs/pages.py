"""`/openapi.json`, and the pages made from it."""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from inspect import cleandoc
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import Litestar, Response, Router
from litestar.response import Redirect
from markupsafe import Markup, escape

from pannier.settings import Settings
from pannier.web.docs.views import Guide
from pannier.web.openapi import document
from pannier.web.routes import get

# Nothing runs on these pages, and nothing is loaded but our own style.
POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# The document changes with a release only.
CACHED: Final = {"Cache-Control": "public, max-age=300"}
HTML: Final = "text/html"
STYLE: Final = (files("pannier.web.docs") / "style.css").read_bytes()
_CODE: Final = re.compile(r"`([^`]+)`")
_TOKENS: Final = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\b\d[\d.eE+-]*)')


def prose(text: str) -> Markup:
    """Set what stands between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped just before


def coloured(text: str) -> Markup:
    """Tell the parts of JSON apart."""
    parts: list[Markup] = []
    end = 0
    for match in _TOKENS.finditer(text):
        kind = "k" if match[2] else "s" if match[1] else "n"
        token = match[1] or match[0]
        coloured_token = Markup('<span class="{}">{}</span>').format(kind, token)
        parts += [escape(text[end : match.start()]), coloured_token, escape(match[2] or "")]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("pannier.web.docs"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: Mapping[str, Any] = {"prose": prose, "coloured": coloured, "cleandoc": cleandoc}
    made.filters.update(filters)
    return made


TEMPLATES: Final = _environment()


@lru_cache(maxsize=8)
def guide(app: Litestar, base_url: str) -> Guide:
    """Read an application's document for the pages."""
    return Guide(document(app, base_url).content)


@lru_cache(maxsize=256)
def _page(template: str, shown: Guide, place: str) -> bytes:
    """Render a page once."""
    page = TEMPLATES.get_template(template)
    return page.render(guide=shown, place=place, chapter=shown.chapters.get(place)).encode()


def _answer(body: bytes, media_type: str) -> Response[bytes]:
    headers = {**CACHED, "Content-Security-Policy": POLICY}
    return Response(body, media_type=media_type, headers=headers)


@get("/openapi.json")
async def openapi(app: Litestar, settings: Settings) -> Response[bytes]:
    """Answer the OpenAPI document."""
    return _answer(document(app, settings.base_url).encoded, "application/json")


@get("/docs")
async def overview(app: Litestar, settings: Settings) -> Response[bytes]:
    """Show the conventions and every operation."""
    return _answer(_page("overview.html", guide(app, settings.base_url), ""), HTML)


@get("/docs/errors")
async def problem_codes(app: Litestar, settings: Settings) -> Response[bytes]:
    """Show every problem code."""
    return _answer(_page("errors.html", guide(app, settings.base_url), "errors"), HTML)


@get("/docs/style.css")
async def style() -> Response[bytes]:
    """Answer the pages' style."""
    return _answer(STYLE, "text/css")


@get("/docs/{place:str}")
async def operations(place: str, app: Litestar, settings: Settings) -> Response[bytes]:
    """Show the operations of one tag."""
    shown = guide(app, settings.base_url)
    return _answer(_page("operations.html", shown, shown.chapter(place).place), HTML)


@get("/")
async def home() -> Redirect:
    """Lead whoever opens the bare address to something readable."""
    return Redirect("/docs")


router = Router(
    "/",
    route_handlers=[home, openapi, overview, problem_codes, style, operations],
    include_in_schema=False,
    security=[{}],
)
