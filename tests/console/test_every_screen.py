"""Every page of the console, whatever it shows: only for whoever is signed in, and only by form."""

from collections.abc import Iterator

from litestar.routes import HTTPRoute

from console.seat import Seat
from pannier.app import build_litestar
from stage import House


def routes() -> Iterator[tuple[str, str]]:
    """List method and address of every page; ids lead nowhere."""
    for route in build_litestar().routes:
        if isinstance(route, HTTPRoute) and route.path_format.startswith("/console"):
            for method in route.route_handler_map.keys() - {"OPTIONS", "HEAD"}:
                path = route.path_format.replace("{", "").replace("}", "_nothing")
                if path != "/console/sign-in":
                    yield method, path


ROUTES = sorted(routes())
CHANGES = [path for method, path in ROUTES if method == "POST"]


async def test_without_a_session_every_page_leads_to_the_sign_in(house: House) -> None:
    stranger = house.client()
    for method, path in ROUTES:
        answer = await stranger.request(method, path)
        assert answer.status_code == 303, (method, path)
        led = answer.headers["Location"]
        assert led.startswith("/console/sign-in?next=/console"), (method, path)


async def test_without_the_sessions_token_nothing_is_sent(seat: Seat) -> None:
    for path in CHANGES:
        answer = await seat.client.post(path)
        assert answer.status_code == 303, path
        assert "pannier_refused" in answer.headers["set-cookie"], path
