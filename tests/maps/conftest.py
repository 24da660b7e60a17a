"""A real city for tests: central Helsinki, built once and kept in `.venv`."""

import hashlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pannier.db.embedded.lock import hold_lock
from pannier.errors import SetupError
from pannier.maps import builder, programs
from pannier.maps.folder import CityFolder, MapFolder

BUILT = Path(sys.prefix) / "maps-tests"


class SilentProgress:
    """Shows nothing."""

    def begin(self, _: str) -> Callable[[float], None]:
        return lambda _share: None

    def say(self, _: str) -> None:
        pass


@pytest.fixture(scope="session")
def helsinki_pbf() -> Path:
    """The OpenStreetMap extract of central Helsinki that `scripts/setup dev` fetches."""
    extract = programs.find_demo_extract()
    try:
        programs.find_programs_folder()
    except SetupError:
        extract = None
    if extract is None:
        pytest.skip("the map programs are not installed; run `scripts/setup dev`")
    return extract


@pytest.fixture(scope="session")
def helsinki(helsinki_pbf: Path) -> CityFolder:
    """The city, for reading only: all processes and later runs share it."""
    maps = MapFolder(BUILT / digest_sources(helsinki_pbf))
    BUILT.mkdir(exist_ok=True)
    with hold_lock(BUILT / ".lock"):
        city = maps.get_city("helsinki")
        if city.read_manifest() is None:
            remove_old()
            builder.build_city(maps.path.parent, helsinki_pbf, "helsinki", SilentProgress())
    return city


def remove_old() -> None:
    """Remove all but the newest cities, which another run may be using."""
    folders = sorted((path for path in BUILT.iterdir() if path.is_dir()), key=folder_time)
    for old in folders[:-3]:
        shutil.rmtree(old)


def folder_time(path: Path) -> float:
    return path.stat().st_mtime


def digest_sources(pbf: Path) -> str:
    """Return a digest of everything that decides how the city is built."""
    sources = Path(builder.__file__).parent
    names = (
        "builder.py",
        "graphs.py",
        "source.py",
        "street_*.py",
        "coast.py",
        "tiles.py",
        "address_*.py",
        "*/*.lua",
    )
    files = [*(file for name in names for file in sorted(sources.glob(name))), pbf]
    locked = (programs.find_programs_folder() / programs.STAMP).read_bytes()
    bodies = b"".join([locked, *(file.read_bytes() for file in files)])
    return hashlib.sha256(bodies).hexdigest()[:16]
