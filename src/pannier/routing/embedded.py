"""Our own routing engine: an `osrm-routed` for each profile of the city in use.

`pannier serve` reserves a port for each profile, runs the programs, and passes the ports to its
other processes in `PANNIER_ROUTER_URL`. A city can come into use or change while it serves.
"""

import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pannier.maps.folder import CityFolder, MapFolder, Profile
from pannier.maps.programs import find_program

LOOPBACK: Final = "127.0.0.1"
# Rows and columns of a matrix per request: our own engine accepts more than a server does.
MAX_BLOCK: Final = 400
# Such a request has 800 points in its path, with at most 25 characters each.
MAX_HEADER_BYTES: Final = 64 * 1024
# The identity of a city's file. It changes when the file is replaced.
FileIdentity = tuple[str, int, int]


class CurrentCity:
    """The profiles of the city in use. They are reloaded when it changes."""

    def __init__(self, maps: MapFolder) -> None:
        self._maps = maps
        self._identity: FileIdentity | None = None
        self._manifest: FileIdentity | None = None
        self._city: CityFolder | None = None
        self._profiles: tuple[Profile, ...] = ()

    def find_profiles(self) -> tuple[Profile, ...]:
        """Return the profiles of the city in use, or none."""
        identity = _identify_file(self._maps.path / "current.json")
        manifest = None if self._city is None else _identify_file(self._city.path / "manifest.json")
        if (identity, manifest) != (self._identity, self._manifest) or manifest is None:
            self._reload_city(identity)
        return self._profiles

    def _reload_city(self, identity: FileIdentity | None) -> None:
        city = None if identity is None else self._maps.find_current_city()
        manifest = None if city is None else city.read_manifest()
        self._identity, self._city = identity, city
        self._manifest = None if city is None else _identify_file(city.path / "manifest.json")
        self._profiles = () if manifest is None else manifest.profiles


class EmbeddedUrls:
    """The URLs of our own engine, for the profiles of the city in use.

    A van may use the URL of a car.
    """

    def __init__(self, city: CurrentCity, urls: Mapping[Profile, str]) -> None:
        self._city, self._urls = city, urls

    def find(self, profile: Profile) -> str | None:
        """Return the URL of a profile, or None if the city has no roads for it."""
        profiles = self._city.find_profiles()
        if profile == "van" and "van" not in profiles:
            profile = "car"
        return self._urls.get(profile) if profile in profiles else None


class Engine:
    """The program for one profile, as `pannier serve` runs it."""

    def __init__(self, data: Path, profile: Profile) -> None:
        self.profile = profile
        self._data, self._maps = data, MapFolder(data)
        # Bound as long as we run, and shared with the program. No other program can take the port
        # while ours restarts.
        self._reservation = socket.socket()
        self._reservation.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._reservation.bind((LOOPBACK, 0))
        self.port: int = self._reservation.getsockname()[1]

    @property
    def url(self) -> str:
        """The URL of the program."""
        return f"http://{LOOPBACK}:{self.port}"

    def find_version(self) -> FileIdentity | None:
        """Return the identity of the graph, or None if the city in use has none."""
        city = self._maps.find_current_city()
        manifest = None if city is None else city.read_manifest()
        if city is None or manifest is None or self.profile not in manifest.profiles:
            return None
        return _identify_file(city.path / "manifest.json")

    def build_command(self) -> Sequence[str]:
        """Return the command, or raise SetupError if the programs are not installed."""
        city = self._maps.find_current_city()
        graph = "" if city is None else str(city.get_graph(self.profile))
        program = str(find_program("osrm-routed", self._data))
        return build_command(program, graph, self.port)

    def close(self) -> None:
        """Release the port."""
        self._reservation.close()


def build_command(program: str, graph: str, port: int) -> Sequence[str]:
    """Return the command that serves a graph. It maps the graph into memory without a copy."""
    return [
        program,
        graph,
        "--algorithm=MLD",
        "--mmap=1",
        f"--ip={LOOPBACK}",
        f"--port={port}",
        f"--threads={max(1, (os.cpu_count() or 1) // 2)}",
        f"--max-table-size={MAX_BLOCK}",
        f"--max-header-size={MAX_HEADER_BYTES}",
        # A log of requests would contain the coordinates of customers.
        "--verbosity=WARNING",
    ]


def _identify_file(path: Path) -> FileIdentity | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return str(path), status.st_ino, status.st_mtime_ns
