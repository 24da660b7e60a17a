"""Doors: what Litestar would say of them, if it called them itself."""

from collections import Counter
from collections.abc import Iterator

import pytest
from litestar.routes import HTTPRoute

from pannier.app import build_litestar
from pannier.web.routes import RouteHandler


def every_door() -> Iterator[tuple[HTTPRoute, RouteHandler]]:
    for route in build_litestar().routes:
        assert isinstance(route, HTTPRoute)
        for door in route.route_handlers:
            if isinstance(door, RouteHandler):
                yield route, door


@pytest.mark.slow
def test_litestar_finds_nothing_wrong_with_any_door() -> None:
    for route, door in every_door():
        before = (door.media_type, dict(door.opt))
        door.on_registration(build_litestar())
        door.create_kwargs_model(route.path_parameters)
        assert (door.media_type, door.opt) == before, route.path


def test_a_path_belongs_to_one_router_and_a_method_to_one_door() -> None:
    paths = Counter(route.path for route in build_litestar().routes)
    assert paths.most_common(1)[0][1] == 1
    for route, door in every_door():
        for method in door.http_methods:
            assert route.route_handler_map[method][0] is door, (route.path, method)
