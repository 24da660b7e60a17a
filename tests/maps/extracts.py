"""Small extracts of our own making, and an engine for their roads."""

import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

import program
from pannier.maps.folder import CityFolder, Profile
from pannier.maps.programs import find_program, import_osmium

Spot = tuple[float, float]
Tags = Mapping[str, str]


def write(
    path: Path, spots: Sequence[Spot], ways: Sequence[tuple[Sequence[int], Tags]] = ()
) -> Path:
    """Write an extract with nodes 1, 2, 3… at some spots, and ways along them."""
    osmium = import_osmium()
    mutable = osmium.osm.mutable
    with osmium.SimpleWriter(str(path), overwrite=True) as writer:
        for number, spot in enumerate(spots, start=1):
            writer.add_node(mutable.Node(id=number, location=spot))
        for number, (nodes, tags) in enumerate(ways, start=1):
            writer.add_way(mutable.Way(id=number, nodes=list(nodes), tags=dict(tags)))
    return path


@contextmanager
def routing(city: CityFolder, profile: Profile) -> Iterator["Roads"]:
    """Serve the roads of a city."""
    port = program.free_port()
    words = ["--algorithm", "mld", "--ip", "127.0.0.1", "--port", str(port)]
    command = [str(find_program("osrm-routed")), str(city.get_graph(profile)), *words]
    with (
        subprocess.Popen(command, stdout=subprocess.DEVNULL) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=program.PATIENCE) as client,
    ):
        try:
            roads = Roads(client)
            roads.wait()
            yield roads
        finally:
            process.kill()


class Roads:
    """Asks for routes."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    @property
    def url(self) -> str:
        """Where the engine listens."""
        return str(self._client.base_url).rstrip("/")

    def wait(self) -> None:
        """Wait until the engine answers."""
        deadline = time.monotonic() + program.PATIENCE
        while True:
            try:
                self._client.get("/nearest/v1/driving/24.94,60.17")
            except httpx.TransportError:
                assert time.monotonic() < deadline, "the engine did not start"
                time.sleep(0.02)
            else:
                return

    def find(self, start: Spot, end: Spot) -> dict[str, Any] | None:
        """Return a route, or None if there is none."""
        places = ";".join(f"{longitude:.6f},{latitude:.6f}" for longitude, latitude in (start, end))
        answer = self._client.get(f"/route/v1/driving/{places}", params={"overview": "false"})
        body = answer.json()
        if body["code"] == "NoRoute":
            return None
        assert body["code"] == "Ok", body
        route: dict[str, Any] = body["routes"][0]
        return route
