"""The city files in the data directory, and the city in use.

maps/programs/                      the programs that `pannier map setup` installed
maps/cities/NAME/manifest.json      the contents. It is written last and completes the city
maps/cities/NAME/streets.pmtiles    street tiles
maps/cities/NAME/routing/PROFILE/   the routing graph of a profile, as graph.osrm*
maps/cities/NAME/addresses.sqlite   the address index
maps/current.json                   the city in use
"""

import os
import re
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from pannier.settings.folder import sync_folder

Profile = Literal["car", "van", "bicycle"]
PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)
NAME_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class CityManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a city, from its manifest. `bounds` are west, south, east and north."""

    name: str
    bounds: tuple[float, float, float, float]
    profiles: tuple[Profile, ...]
    built_at: str
    source_name: str
    source_sha256: str
    attribution: str
    counts: dict[str, int] = {}
    # The version of the builder, and the digest of the map programs.
    builder: int = 0
    programs: str = ""


class CityFolder:
    """The files of one city."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name

    @property
    def streets(self) -> Path:
        """The street tiles."""
        return self.path / "streets.pmtiles"

    @property
    def addresses(self) -> Path:
        """The address index."""
        return self.path / "addresses.sqlite"

    def get_graph(self, profile: Profile) -> Path:
        """Return the base path of a routing graph, as the engine's programs expect it."""
        return self.path / "routing" / profile / "graph.osrm"

    def read_manifest(self) -> CityManifest | None:
        """Read the manifest, or return None if the city is incomplete or damaged."""
        try:
            body = (self.path / "manifest.json").read_bytes()
            return msgspec.json.decode(body, type=CityManifest)
        except (OSError, msgspec.DecodeError):
            return None

    def write_manifest(self, manifest: CityManifest) -> None:
        """Write the manifest, which completes the city."""
        _replace_file(self.path / "manifest.json", msgspec.json.encode(manifest))


class MapFolder:
    """All city files of an installation."""

    def __init__(self, data: Path) -> None:
        self.path = data / "maps"

    @property
    def programs(self) -> Path:
        """The folder into which `pannier map setup` installs programs."""
        return self.path / "programs"

    @property
    def cities(self) -> Path:
        """The folder of cities, and of unfinished builds, which are hidden."""
        return self.path / "cities"

    @property
    def current(self) -> Path:
        """The file that names the city in use."""
        return self.path / "current.json"

    def get_city(self, name: str) -> CityFolder:
        """Return the folder of a city, even if it does not exist."""
        if not NAME_PATTERN.fullmatch(name):
            raise ValueError(f"{name!r} is not a valid city name")
        return CityFolder(self.cities / name)

    def list_cities(self) -> list[CityFolder]:
        """List complete cities by name."""
        cities = sorted(self.cities.iterdir()) if self.cities.is_dir() else []
        folders = (CityFolder(path) for path in cities if NAME_PATTERN.fullmatch(path.name))
        return [city for city in folders if city.read_manifest() is not None]

    def find_current_city(self) -> CityFolder | None:
        """Find the city in use, or return None."""
        try:
            name = msgspec.json.decode(self.current.read_bytes(), type=str)
            city = self.get_city(name)
        except (OSError, ValueError):  # a DecodeError is a ValueError
            return None
        return city if city.read_manifest() is not None else None

    def use_city(self, city: CityFolder | None) -> None:
        """Put a city in use, or none. It takes effect at the next start."""
        self.path.mkdir(parents=True, exist_ok=True)
        if city is None:
            self.current.unlink(missing_ok=True)
        else:
            _replace_file(self.current, msgspec.json.encode(city.name))


def _replace_file(path: Path, body: bytes) -> None:
    """Replace a file atomically: readers see the old content or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.new")
    with draft.open("wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)
