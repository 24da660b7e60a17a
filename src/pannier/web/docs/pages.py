"""`/openapi.json`, and the pages under `/docs`: the API reference and the guides."""

import asyncio
import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from importlib.resources import files
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
from jinja2 import Environment
from litestar import Litestar, Response, Router
from litestar.response import Redirect
from markupsafe import Markup

from pannier.errors import NotFound
from pannier.settings import Settings
from pannier.web import templates
from pannier.web.docs.text import add_line_breaks, highlight_json, mark_code
from pannier.web.docs.views import ApiReference
from pannier.web.exchange import Exchange
from pannier.web.openapi import build_document
from pannier.web.routes import get

if TYPE_CHECKING:
    from pannier.web.docs.guides import GuideLibrary

SCRIPT: Final = (files("pannier.web.docs") / "script.js").read_text()
_DIGEST: Final = b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
# The pages run only our own script, by its hash, and load only our own files.
CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    f"frame-ancestors 'none'; script-src 'sha256-{_DIGEST}'; connect-src 'self'"
)
# The document changes only with a release.
CACHE_HEADERS: Final = {"Cache-Control": "public, max-age=300"}
HTML: Final = "text/html"
EXECUTOR: Final = ThreadPoolExecutor(1, thread_name_prefix="docs")
Result = TypeVar("Result")
STYLE: Final = (files("pannier.web.docs") / "style.css").read_bytes()


def _make_environment() -> Environment:
    environment = templates.make_environment("pannier.web.docs")
    filters: Mapping[str, Any] = {
        "breakable": add_line_breaks,
        "prose": mark_code,
        "coloured": highlight_json,
        "cleandoc": cleandoc,
    }
    environment.filters.update(filters)
    return environment


TEMPLATES: Final = _make_environment()


class Site:
    """The pages of an application, rendered on first use."""

    def __init__(self, reference: ApiReference, guides: "GuideLibrary") -> None:
        self.reference, self.guides = reference, guides
        self._rendered: dict[str, bytes] = {}
        self.index = msgspec.json.encode(
            [
                *guides.list_search_entries(),
                *_list_operation_entries(reference),
                *_list_error_entries(reference),
            ]
        )

    def find_page(self, page_path: str) -> bytes | None:
        """Return a page by its path after `/docs/`, or None."""
        template = self._find_template(page_path)
        if page_path not in self._rendered and template is not None:
            self._rendered[page_path] = self._render(template, page_path)
        return self._rendered.get(page_path)

    @cached_property
    def not_found_page(self) -> bytes:
        """The page for unknown paths."""
        return self._render("lost.html", "lost")

    def _find_template(self, page_path: str) -> str | None:
        if page_path in self.guides.pages:
            return "guide.html"
        return (
            "operations.html"
            if page_path in self.reference.chapters
            else SPECIAL_PAGES.get(page_path)
        )

    def _render(self, template: str, page_path: str) -> bytes:
        page = TEMPLATES.get_template(template)
        return page.render(
            reference=self.reference,
            guides=self.guides,
            page_path=page_path,
            chapter=self.reference.chapters.get(page_path),
            guide=self.guides.pages.get(page_path),
            script=Markup(SCRIPT),  # noqa: S704 - our own
        ).encode()


# Templates of the pages that are neither a chapter nor a guide.
SPECIAL_PAGES: Final[Mapping[str, str]] = {"": "overview.html", "errors": "errors.html"}


def _list_operation_entries(reference: ApiReference) -> Iterator[tuple[str, str, str, str]]:
    for group in (
        operation for chapter in reference.chapters.values() for operation in chapter.operations
    ):
        for operation in (group, *group.others):
            yield (
                group.tags[0],
                f"{operation.method} {operation.path}",
                operation.link,
                group.full_description,
            )


def _list_error_entries(reference: ApiReference) -> Iterator[tuple[str, str, str, str]]:
    for kind in reference.refusals:
        yield "Error codes", kind.code, f"/docs/errors#{kind.code}", kind.title


async def run_in_docs_thread(function: Callable[..., Result], *arguments: object) -> Result:
    """Run a function in the documentation thread.

    The first call takes seconds. A concurrent call for the same page then finds it cached, and
    other requests are not delayed.
    """
    return await asyncio.get_running_loop().run_in_executor(EXECUTOR, function, *arguments)


@lru_cache(maxsize=1)
def load_library() -> "GuideLibrary":
    """Load the guides on the first request for a page."""
    from pannier.web.docs.guides import GuideLibrary  # noqa: PLC0415 - Markdown would slow down every start

    return GuideLibrary()


@lru_cache(maxsize=8)
def load_site(app: Litestar, base_url: str) -> Site:
    """Load the pages of an application; cached."""
    return Site(ApiReference(build_document(app, base_url).content), load_library())


def _find_page(app: Litestar, base_url: str, page_path: str) -> bytes | None:
    return load_site(app, base_url).find_page(page_path)


def _make_cached_response(body: bytes, media_type: str) -> Response[bytes]:
    headers = {**CACHE_HEADERS, "Content-Security-Policy": CONTENT_SECURITY_POLICY}
    return Response(body, media_type=media_type, headers=headers)


def _make_not_found_response(body: bytes) -> Response[bytes]:
    """Make the page for unknown paths. It is not cached, because programs get a problem instead."""
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": CONTENT_SECURITY_POLICY}
    return Response(body, media_type=HTML, headers=headers, status_code=404)


@get("/openapi.json")
async def get_openapi(app: Litestar, settings: Settings) -> Response[bytes]:
    """Return the OpenAPI document."""
    document = await run_in_docs_thread(build_document, app, settings.base_url)
    return _make_cached_response(document.encoded, "application/json")


@get("/docs")
async def show_overview(app: Litestar, settings: Settings) -> Response[bytes]:
    """Show the conventions and every operation."""
    content = await run_in_docs_thread(_find_page, app, settings.base_url, "")
    return _make_cached_response(content or b"", HTML)


@get("/docs/style.css")
async def get_style() -> Response[bytes]:
    """Return the style sheet of the pages."""
    return _make_cached_response(STYLE, "text/css")


@get("/docs/search.json")
async def get_search_index(app: Litestar, settings: Settings) -> Response[bytes]:
    """Return the search index of the pages."""
    return _make_cached_response(
        (await run_in_docs_thread(load_site, app, settings.base_url)).index, "application/json"
    )


@get("/docs/copy/{name:str}")
async def get_file(name: str) -> Response[bytes]:
    """Return a file that a guide offers for copying."""
    path = (await run_in_docs_thread(load_library)).files.get(name)
    if path is None:
        raise NotFound("There is no such file. The guides are listed under /docs.")
    return _make_cached_response(path.read_bytes(), "text/plain")


@get("/docs/{page_path:path}")
async def show_page(
    page_path: str, exchange: Exchange, app: Litestar, settings: Settings
) -> Response[bytes]:
    """Show a guide, the operations of one tag, or every problem code."""
    content = await run_in_docs_thread(
        _find_page, app, settings.base_url, str(page_path).strip("/")
    )
    if content is not None:
        return _make_cached_response(content, HTML)
    if HTML.encode() in exchange.headers.get(b"accept", b""):
        return _make_not_found_response(
            (await run_in_docs_thread(load_site, app, settings.base_url)).not_found_page
        )
    raise NotFound("There is no such page. All pages are listed under /docs.")


@get("/")
async def redirect_home() -> Redirect:
    """Redirect the base URL to the console."""
    return Redirect("/console")


router = Router(
    "/",
    route_handlers=[
        redirect_home,
        get_openapi,
        show_overview,
        get_style,
        get_search_index,
        get_file,
        show_page,
    ],
    include_in_schema=False,
    security=[{}],
)
