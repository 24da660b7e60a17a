"""`/assets/…`: styles, scripts, fonts and icons, in a path with the release's name.

Our own files are in `static`. The driver app and the tracking page have separate `static` folders.
Third-party files are in `vendor`, where `scripts/assets` puts them. All files are read once, and
the release is named after their hash. So browsers cache a file forever, and load it again after any
change. Files refer to each other by relative URLs and stay within a release.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import msgspec
from litestar import Response, Router
from markupsafe import Markup

from pannier.console import origins
from pannier.console.minifier import minify
from pannier.errors import NotFound
from pannier.files.downloads import ByteRange, parse_range
from pannier.locales.catalogue import DEFAULT, LANGUAGES, load_part
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.routes import get

HERE: Final = Path(__file__).parent
STATIC, VENDOR = HERE / "static", HERE / "vendor"
# Static folders of other packages. They are served below the package name.
OTHER_STATIC: Final = {name: HERE.parent / name / "static" for name in ("driver", "tracking")}
MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
}
# Third-party files are served unchanged.
VENDOR_PREFIX: Final = "vendor/"
# All icons in one file, which pages refer to.
ICONS: Final = "icons.svg"
CACHE_FOREVER: Final = "public, max-age=31536000, immutable"
# A request for another release gets the current file, which must not be cached.
CACHE_REVALIDATE: Final = "public, no-cache"
# A worker uses the policy of its script, not that of the page.
WORKER_POLICY: Final = (
    "default-src 'none'; script-src 'self'; connect-src 'self'{maps}; base-uri 'none'; "
    "frame-ancestors 'none'"
)


class AssetsMissingError(RuntimeError):
    """The third-party files were not fetched."""

    def __init__(self) -> None:
        super().__init__(
            "Console assets are missing. Run `make setup` or `scripts/assets`, then start Pannier "
            "again."
        )


class AssetStore:
    """All served files by path. Third-party files are below `vendor/`."""

    def __init__(
        self, static: Path, vendor: Path, other_static: Mapping[str, Path] = OTHER_STATIC
    ) -> None:
        if not (vendor / "icons.json").is_file():
            raise AssetsMissingError
        folders = {"": static, **{f"{name}/": folder for name, folder in other_static.items()}}
        folders[VENDOR_PREFIX] = vendor
        self.files = {
            path: content if prefix == VENDOR_PREFIX else minify(path, content)
            for prefix, folder in folders.items()
            for path, content in _read_files(folder, prefix)
        }
        self.icons = msgspec.json.decode(self.files["vendor/icons.json"], type=dict[str, str])
        self.files[ICONS] = _render_symbols(self.icons)
        self.files |= {f"driver/words/{name}.js": _render_driver_texts(name) for name in LANGUAGES}

    @cached_property
    def release(self) -> str:
        """The release's name: a hash of all files."""
        digest = hashlib.sha256()
        for path, content in sorted(self.files.items()):
            digest.update(b"%s\0%d\0" % (path.encode(), len(content)))
            digest.update(content)
        return digest.hexdigest()[:12]


def _read_files(folder: Path, prefix: str) -> Iterator[tuple[str, bytes]]:
    for file in folder.rglob("*"):
        if file.suffix in MEDIA_TYPES and file.is_file():
            yield prefix + file.relative_to(folder).as_posix(), file.read_bytes()


def _render_symbols(icons: Mapping[str, str]) -> bytes:
    """Render icons as an SVG file of symbols."""
    symbols = "".join(
        f'<symbol id="{name}" viewBox="0 0 24 24">{paths}</symbol>' for name, paths in icons.items()
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg">{symbols}</svg>'.encode()


def _render_driver_texts(language: str) -> bytes:
    """Render the driver app's texts as a script, with reasons by their English label."""
    common_texts, english_texts = load_part(language, "common"), load_part(DEFAULT, "common")
    language_names = {
        f"language.{key[10:]}": common_texts[key]
        for key in common_texts
        if key.startswith("languages.")
    }
    label_texts = {
        f"{name}.{english_texts[key]}": common_texts[key]
        for key in common_texts
        for name, prefix in (("reason", "reasons."), ("activity", "activities."))
        if key.startswith(prefix)
    }
    texts = msgspec.json.encode({**load_part(language, "driver"), **language_names, **label_texts})
    return b"export default " + msgspec.json.format(texts) + b";\n"


@cache
def load_store() -> AssetStore:
    """Read all files on first use."""
    return AssetStore(STATIC, VENDOR)


def url(path: str) -> str:
    """Return the URL of a file such as `console.css` or `vendor/htmx.min.js`."""
    if path not in load_store().files:
        raise LookupError(f"Asset {path} is in neither static nor vendor.")
    return f"/assets/{load_store().release}/{path}"


@cache
def render_icon(name: str) -> Markup:
    """Render an icon. It is hidden from screen readers, so a label must accompany it."""
    paths = load_store().icons.get(name)
    if paths is None:
        raise LookupError(
            f"Icon {name} does not exist. Add it to icons.txt and run `scripts/assets`."
        )
    return Markup(  # noqa: S704 - Lucide's, checked against its hash
        '<svg class="icon" aria-hidden="true" viewBox="0 0 24 24" fill="none" '
        'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
        f"{paths}</svg>"
    )


@cache
def refer_to_icon(name: str) -> Markup:
    """Render an icon of the common file, for pages that have many. `console.css` draws it."""
    if name not in load_store().icons:
        return render_icon(name)
    return Markup(  # noqa: S704 - a name of the list
        f'<svg class="icon" aria-hidden="true"><use href="{url(ICONS)}#{name}"/></svg>'
    )


def render_sprite(*names: str) -> Markup:
    """Render icons once for a page that repeats them: `<use href="#i-map-pin">`."""
    symbols = "".join(
        f'<symbol id="i-{name}" viewBox="0 0 24 24">{load_store().icons[name]}</symbol>'
        for name in names
    )
    return Markup(f'<svg class="unseen" aria-hidden="true">{symbols}</svg>')  # noqa: S704 - as above


@get("/assets/{release:str}/{place:path}")
async def get_asset(
    release: str, place: str, exchange: Exchange, settings: Settings
) -> Response[bytes]:
    """Return a file, or the requested byte range."""
    path = str(place).removeprefix("/")
    content = load_store().files.get(path)
    if content is None:
        raise NotFound("File not found. Reload the page to get the current release.")
    full_range = ByteRange(0, len(content))
    range_header = exchange.headers.get(b"range", b"").decode("latin-1")
    served_range = parse_range(range_header, len(content)) or full_range
    headers = {
        "Cache-Control": CACHE_FOREVER if release == load_store().release else CACHE_REVALIDATE,
        "Accept-Ranges": "bytes",
        "Content-Security-Policy": WORKER_POLICY.format(maps=origins.format_map_source(settings)),
    }
    if served_range != full_range:
        headers["Content-Range"] = (
            f"bytes {served_range.start}-{served_range.end - 1}/{len(content)}"
        )
    return Response(
        content if served_range == full_range else content[served_range.start : served_range.end],
        media_type=MEDIA_TYPES[Path(path).suffix],
        headers=headers,
        status_code=200 if served_range == full_range else 206,
    )


router = Router("/", route_handlers=[get_asset], include_in_schema=False, security=[{}])
