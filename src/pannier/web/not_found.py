"""The HTML page that browsers get for unknown paths."""

from typing import Final

from litestar import Response

from pannier.web.exchange import Exchange

# Paths for programs. Some programs accept HTML nevertheless.
API_PREFIXES: Final = ("/v1", "/int", "/storefront")
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'"
}
PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not found · Pannier</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<main>
<h1>Page not found</h1>
<p>Check the URL, or go to the <a href="/docs">documentation</a>.</p>
</main>
</body>
</html>
"""


def is_browsing(exchange: Exchange) -> bool:
    """Tell whether the request is from a browser, and not for an API."""
    return (
        exchange.method in {"GET", "HEAD"}
        and b"text/html" in exchange.headers.get(b"accept", b"")
        and not exchange.path.startswith(API_PREFIXES)
    )


def render_page() -> Response[str]:
    return Response(PAGE, status_code=404, media_type="text/html", headers=HEADERS)
