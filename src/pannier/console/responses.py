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

from pannier.accounts.tokens.auth import read_cookie
from pannier.console import assets, formatting, origins, record_names, session
from pannier.console.api_client import ApiClient
from pannier.console.code_spans import render_code_spans
from pannier.console.navigation import ENTRIES, find_guide, list_menu
from pannier.console.undo import UndoStep, decode_step, encode_step
from pannier.web import templates
from pannier.web.exchange import SAFE_METHODS, Exchange, current

HTML: Final = "text/html"
# Characters that stay unquoted in a URL. Any other could end the header.
SAFE_URL_CHARACTERS: Final = "/?&=%#:,;+~@!$'()*[]"
MESSAGE_COOKIE: Final = "pannier_said"
ERROR_COOKIE: Final = "pannier_refused"
UNDO_COOKIE: Final = "pannier_undo"
MAX_FLASH_LENGTH: Final = 3_000
# The files behind the module names in our scripts.
MODULES: Final = {
    "maplibre-gl": "vendor/maplibre/maplibre-gl.mjs",
    "topojson-client": "vendor/topojson/index.js",
}


def _make_environment() -> Environment:
    environment = templates.make_environment("pannier.console")
    environment.filters.update(formatting.FILTERS, code_spans=render_code_spans)
    environment.globals.update(
        icon=assets.refer_to_icon,
        asset=assets.url,
        address=build_url,
        find_guide=find_guide,
        list_menu=list_menu,
        menu_entries=ENTRIES,
        modules=render_import_map,
        once=lambda: secrets.token_urlsafe(12),
    )
    return environment


@lru_cache(maxsize=1)
def render_import_map() -> Markup:
    """Render the import map. The policy allows it by its hash."""
    imports = {name: assets.url(path) for name, path in MODULES.items()}
    return Markup(msgspec.json.encode({"imports": imports}).decode())  # noqa: S704 - our own


@lru_cache(maxsize=1)
def hash_import_map() -> str:
    """Return the hash source that allows the import map in a policy."""
    digest = b64encode(hashlib.sha256(render_import_map().encode()).digest()).decode()
    return f"'sha256-{digest}'"


def build_content_security_policy() -> str:
    """Return a page's policy. It allows our own files and the configured map."""
    return format_policy(origins.format_map_source(current.get().edge.settings))


@lru_cache(maxsize=8)
def format_policy(maps: str) -> str:
    return (
        f"default-src 'none'; script-src 'self' {hash_import_map()}; style-src 'self'; "
        f"font-src 'self'; img-src 'self' data: blob:{maps}; connect-src 'self'{maps}; "
        "worker-src 'self'; "
        "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def build_url(path: str, query: Mapping[str, Any] | None = None, **changes: Any) -> str:  # noqa: ANN401 - any value
    """Build a console URL from a query and changes to it. Omit empty parameters."""
    parameters = {**(query or {}), **changes}
    nonempty = [(name, value) for name, value in parameters.items() if value not in {"", None}]
    return f"{path}?{urlencode(nonempty)}" if nonempty else path


async def render_page(
    client: ApiClient,
    template: str,
    *,
    title: str,
    status: int = 200,
    url: str = "",
    **context: Any,  # noqa: ANN401 - the template's context
) -> Response[bytes]:
    """Render a page for the signed-in operator.

    `url` is the page's own URL, for a page that responds to a form of another URL.
    """
    exchange = client.exchange
    company = await _load_company(client)
    message, error_text = _read_flash(exchange, MESSAGE_COOKIE), _read_flash(exchange, ERROR_COOKIE)
    body = TEMPLATES.get_template(template).render(
        client=client,
        operator=client.caller,
        company=company,
        zone=formatting.TimeZone.from_company(company),
        now=exchange.db.now,
        csrf=session.make_csrf_token(exchange),
        path=exchange.path,
        at="" if exchange.method in SAFE_METHODS else url,
        flash_message=message,
        flash_error=error_text,
        flash_undo=_read_undo(exchange),
        unread=await client.get("/int/v1/alerts/unread"),
        title=title,
        record_names=await _load_record_names(client, context),
        **context,
    )
    return make_html_response(body, status, clear_flash=bool(message or error_text))


def render_bare_page(template: str, *, status: int = 200, **context: Any) -> Response[bytes]:  # noqa: ANN401 - the template's context
    """Render a page without the data of an operator or a company."""
    body = TEMPLATES.get_template(template).render(**context)
    return make_html_response(body, status)


def make_html_response(body: str, status: int, *, clear_flash: bool = False) -> Response[bytes]:
    """Return an HTML response with the headers of every page."""
    headers = {
        "Content-Security-Policy": build_content_security_policy(),
        "Referrer-Policy": "same-origin",
    }
    expired_cookies = [
        Cookie(name, value="", max_age=0, path="/console")
        for name in (MESSAGE_COOKIE, ERROR_COOKIE, UNDO_COOKIE)
    ]
    return Response(
        body.encode(), media_type=HTML, status_code=status, headers=headers,
        cookies=expired_cookies if clear_flash else [],
    )  # fmt: skip


def redirect_with_flash(
    exchange: Exchange,
    url: str,
    *,
    message: str = "",
    error: str = "",
    undo: UndoStep | None = None,
) -> Response[bytes]:
    """Redirect to another page, which then shows the message, and can undo the change."""
    step_text = "" if undo is None else encode_step(undo)
    messages = [(MESSAGE_COOKIE, message), (ERROR_COOKIE, error), (UNDO_COOKIE, step_text)]
    cookies = [
        Cookie(
            name, value=encode_flash(text), max_age=60, path="/console", samesite="lax",
            httponly=True, secure=exchange.secure,
        )
        for name, text in messages
        if text
    ]  # fmt: skip
    return Response(
        b"",
        status_code=303,
        headers={"Location": quote(url, safe=SAFE_URL_CHARACTERS)},
        cookies=cookies,
    )


def encode_flash(text: str) -> str:
    """Encode a message for a cookie. Shorten it to fit the 4,096 bytes that browsers accept."""
    while len(encoded_text := quote(text)) > MAX_FLASH_LENGTH:
        text = text[: len(text) // 2] + "…"
    return encoded_text


def _read_flash(exchange: Exchange, name: str) -> str:
    return unquote(read_cookie(exchange, name))


def _read_undo(exchange: Exchange) -> list[str]:
    """Return the step that undoes the reported change, as the form sends it."""
    step = decode_step(_read_flash(exchange, UNDO_COOKIE))
    return [] if step is None else [encode_step(step)]


async def _load_record_names(client: ApiClient, context: Mapping[str, Any]) -> dict[str, str]:
    """Load the names of the records in the page's forms and filters, and of its `subjects`."""
    forms = (context.get(name) or {} for name in ("filled", "filter_values"))
    values = [
        value
        for form_values in forms
        if isinstance(form_values, Mapping)
        for value in form_values.values()
    ]
    texts = [value for value in (*values, *context.get("subjects", ())) if isinstance(value, str)]
    # A list has a record in each line.
    names = [line.strip() for text in texts for line in text.splitlines()]
    return await record_names.load_labels(client, names)


async def _load_company(client: ApiClient) -> Any:  # noqa: ANN401 - JSON
    """Load the company data for every page: name, mode and settings."""
    settings = await client.get("/int/v1/settings")
    me = await client.get("/int/v1/me")
    return {**me["company"], "settings": settings}


TEMPLATES: Final = _make_environment()
