"""`/driver`: the app's page, service worker and manifest. All other files are static."""

from functools import cache
from typing import Any, Final

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from litestar import Response, Router

from pannier.console import assets, origins, responses
from pannier.driver import icons
from pannier.errors import NotFound
from pannier.settings import Settings
from pannier.web.routes import get

PREFIX: Final = "driver/"
CACHE_ONE_DAY: Final = "public, max-age=86400"
# Files that the app loads and caches on first use.
LAZY_FILES: Final[tuple[str, ...]] = ()
EXTRA_FILES: Final = ("vendor/signature_pad.min.js",)
# Files that draw the map, besides the folders of the map library. The service worker caches them
# once there are stops.
MAP_FILES: Final = (
    "features.js",
    "map.js",
    "vendor/cities.json",
    "vendor/countries-50m.json",
    "world.js",
)
MAP_FOLDERS: Final = ("vendor/maplibre/", "vendor/topojson/")
ICONS: Final = (
    "arrow-left", "banknote", "bell", "camera", "check", "chevron-right", "circle-check",
    "circle-x", "clock", "eye", "flag", "hourglass", "image", "info", "list", "locate-fixed",
    "lock", "log-out", "mail", "map", "map-pin", "menu", "message-square", "minus", "moon",
    "navigation", "package",
    "package-check", "package-x", "phone", "plus", "refresh-cw", "rotate-ccw", "scan-line",
    "search", "send", "settings", "signature", "siren", "sun", "trash-2", "triangle-alert", "truck",
    "undo-2", "user", "warehouse", "wifi-off", "x", "zap",
)  # fmt: skip
# WebAssembly reads bar codes where the browser has no reader of its own.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {modules}; style-src 'self'; "
    "img-src 'self' data: blob:{maps}; media-src 'self' blob:; connect-src 'self'{maps}; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
TEMPLATES: Final = Environment(
    loader=PackageLoader("pannier.driver"), autoescape=True, undefined=StrictUndefined
)
WORKERS: Final = {
    "scanner.js": "driver/capture/scan-worker.js",
    "map-worker.js": "vendor/maplibre/maplibre-gl-worker.mjs",
}
MANIFEST: Final = {
    "id": "/driver",
    "name": "Pannier Driver",
    "short_name": "Driver",
    "start_url": "/driver",
    "scope": "/driver",
    "display": "standalone",
    "background_color": "#0c0f14",
    "theme_color": "#0c0f14",
}


@cache
def render_shell() -> bytes:
    """Render the app's page, which is the same for all drivers."""
    sprite = assets.render_sprite(*ICONS)
    return (
        TEMPLATES.get_template("app.html")
        .render(asset=assets.url, icons=sprite, modules=responses.render_import_map())
        .encode()
    )


@cache
def render_service_worker() -> bytes:
    """Render the service worker, with the files of this release to cache."""
    app_files = [
        path
        for path in assets.load_store().files
        if path.startswith(PREFIX) and path not in LAZY_FILES
    ]
    files = [assets.url(path) for path in sorted((*app_files, *EXTRA_FILES))]
    fixed_files = [f"/driver/{name}" for name in ("manifest.webmanifest", *WORKERS)]
    constants = {
        "RELEASE": assets.load_store().release,
        "SHELL": ["/driver", *fixed_files, *files],
        "MAP_FILES": [assets.url(path) for path in list_map_files()],
    }
    lines = [
        f"const {name} = {msgspec.json.encode(value).decode()};"
        for name, value in constants.items()
    ]
    modules = {"startTimeout": "api", "send": "outbox", "storeMap, serveMap": "map-cache"}
    imports = [
        f'import {{ {names} }} from "{assets.url(f"driver/{file}.js")}";'
        for names, file in modules.items()
    ]
    return "\n".join([*imports, *lines, ""]).encode() + assets.load_store().files["driver/sw.js"]


def list_map_files() -> list[str]:
    """List the files that draw a map without a connection."""
    files = assets.load_store().files
    return sorted(path for path in files if path in MAP_FILES or path.startswith(MAP_FOLDERS))


@get("/driver")
async def show_app(settings: Settings) -> Response[bytes]:
    headers = {
        "Content-Security-Policy": _build_policy(settings),
        "Referrer-Policy": "no-referrer",
    }
    return Response(render_shell(), media_type="text/html", headers=_disable_cache(headers))


@get("/driver/sw.js")
async def show_service_worker(settings: Settings) -> Response[bytes]:
    """Return the service worker, which keeps the app working offline."""
    policy = assets.WORKER_POLICY.format(maps=origins.format_map_source(settings))
    headers = {"Service-Worker-Allowed": "/driver", "Content-Security-Policy": policy}
    return Response(
        render_service_worker(), media_type="text/javascript", headers=_disable_cache(headers)
    )


@get("/driver/scanner.js")
async def show_scanner_worker(settings: Settings) -> Response[bytes]:
    """Return the bar code worker at a fixed address, so that the service worker can cache it."""
    return _render_worker(settings, "scanner.js")


@get("/driver/map-worker.js")
async def show_map_worker(settings: Settings) -> Response[bytes]:
    """Return the map worker at an address within the service worker's scope."""
    return _render_worker(settings, "map-worker.js")


def _render_worker(settings: Settings, name: str) -> Response[bytes]:
    program = f'import "{assets.url(WORKERS[name])}";\n'.encode()
    headers = _disable_cache({"Content-Security-Policy": _build_policy(settings)})
    return Response(program, media_type="text/javascript", headers=headers)


@get("/driver/manifest.webmanifest")
async def show_manifest() -> Response[bytes]:
    sizes_by_url = {assets.url("driver/icon.svg"): "any"}
    sizes_by_url |= {f"/driver/icons/{size}.png": f"{size}x{size}" for size in icons.SIZES}
    icon_entries: list[dict[str, Any]] = [
        {"src": address, "sizes": size, "purpose": purpose}
        for purpose in ("any", "maskable")
        for address, size in sizes_by_url.items()
    ]
    body = msgspec.json.encode({**MANIFEST, "icons": icon_entries})
    return Response(body, media_type="application/manifest+json", headers=_disable_cache({}))


@get("/driver/icons/{name:str}")
async def show_icon(name: str) -> Response[bytes]:
    """Return the icon in one of its sizes, such as `192.png`."""
    sizes = {f"{size}.png": size for size in icons.SIZES}
    if name not in sizes:
        raise NotFound(f"The icon comes as {', '.join(sizes)}.")
    png = icons.draw_icon(sizes[name])
    return Response(png, media_type="image/png", headers={"Cache-Control": CACHE_ONE_DAY})


def _build_policy(settings: Settings) -> str:
    maps = origins.format_map_source(settings)
    return POLICY.format(maps=maps, modules=responses.hash_import_map())


def _disable_cache(headers: dict[str, str]) -> dict[str, str]:
    return {**headers, "Cache-Control": "no-cache"}


routers: Final = (
    Router(
        "/",
        route_handlers=[
            show_app,
            show_service_worker,
            show_scanner_worker,
            show_map_worker,
            show_manifest,
            show_icon,
        ],
        include_in_schema=False,
        security=[{}],
    ),
)
