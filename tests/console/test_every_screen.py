"""Every page of the console, whatever it shows: only for whoever is signed in, and only by form."""

from collections.abc import Iterator

import pytest
from litestar.routes import HTTPRoute

from console.seat import Seat
from pannier.app import litestar
from stage import Firm


def routes() -> Iterator[tuple[str, str]]:
    """List method and address of every page; ids lead nowhere."""
    for route in litestar().routes:
        if isinstance(route, HTTPRoute) and route.path_format.startswith("/console"):
            for method in route.route_handler_map.keys() - {"OPTIONS", "HEAD"}:
                path = route.path_format.replace("{", "").replace("}", "_nothing")
                if path != "/console/sign-in":
                    yield method, path


ROUTES = sorted(routes())
CHANGES = [path for method, path in ROUTES if method == "POST"]


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_without_a_session_it_leads_to_the_sign_in(
    acme: Firm, method: str, path: str
) -> None:
    answer = await acme.house.client().request(method, path)
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/console/sign-in?next=/console")


@pytest.mark.parametrize("path", CHANGES)
async def test_without_the_sessions_token_nothing_is_sent(seat: Seat, path: str) -> None:
    answer = await seat.client.post(path)
    assert answer.status_code == 303
    assert "pannier_refused" in answer.headers["set-cookie"]
