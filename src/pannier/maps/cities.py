"""List, choose and remove cities."""

import shutil
from pathlib import Path
from typing import Literal

import msgspec

from pannier.db.embedded.lock import hold_lock
from pannier.errors import SetupError
from pannier.maps.folder import CityFolder, MapFolder, Profile
from pannier.maps.programs import read_digest

State = Literal["ready", "outdated", "unfinished"]


class CitySummary(msgspec.Struct, frozen=True):
    """A city in a list. An outdated one was built with other programs than those installed."""

    name: str
    in_use: bool
    state: State
    bytes: int
    profiles: tuple[Profile, ...] = ()
    bounds: tuple[float, float, float, float] | None = None
    built_at: str = ""
    source_name: str = ""


def list_summaries(data: Path) -> list[CitySummary]:
    """List the cities by name, then unfinished builds."""
    maps = MapFolder(data)
    used = maps.find_current()
    complete = [_summarize(data, city, used) for city in maps.list_cities()]
    drafts = sorted(maps.cities.glob(".*.new")) if maps.cities.is_dir() else []
    return complete + [
        CitySummary(
            name=draft.name[1:].removesuffix(".new"),
            in_use=False,
            state="unfinished",
            bytes=measure(draft),
        )
        for draft in drafts
    ]


def _summarize(data: Path, city: CityFolder, used: CityFolder | None) -> CitySummary:
    manifest = city.read_manifest()
    if manifest is None:  # removed meanwhile
        return CitySummary(city.name, in_use=False, state="unfinished", bytes=0)
    return CitySummary(
        name=city.name,
        in_use=used is not None and used.name == city.name,
        state="ready" if manifest.programs == _read_programs(data) else "outdated",
        bytes=measure(city.path),
        profiles=manifest.profiles,
        bounds=manifest.bounds,
        built_at=manifest.built_at,
        source_name=manifest.source_name,
    )


def _read_programs(data: Path) -> str | None:
    try:
        return read_digest(data)
    except SetupError:
        return None


def measure(folder: Path) -> int:
    """Return the size of a folder's files in bytes."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def use_city(data: Path, name: str | None) -> None:
    """Use a city, or none."""
    maps = MapFolder(data)
    city = None if name is None else maps.get_city(name)
    if city is not None and city.read_manifest() is None:
        raise _make_missing_city_error(maps, city.name)
    maps.use(city)


def remove_city(data: Path, name: str) -> bool:
    """Remove a city, or an unfinished build. Return whether it was in use; then none is."""
    maps = MapFolder(data)
    city = maps.get_city(name)
    draft, old = (city.path.with_name(f".{name}.{end}") for end in ("new", "old"))
    if not city.path.exists() and not draft.exists():
        raise _make_missing_city_error(maps, name)
    try:
        with hold_lock(city.path.with_name(f".{name}.lock"), wait=False):
            used = maps.find_current()
            was_used = used is not None and used.name == name
            if was_used:
                maps.use(None)
            shutil.rmtree(old, ignore_errors=True)
            if city.path.exists():
                city.path.rename(old)
            for folder in (draft, old):
                shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        raise SetupError(f"`pannier map build` of {name} is running. Wait for it.") from None
    return was_used


def _make_missing_city_error(maps: MapFolder, name: str) -> SetupError:
    names = ", ".join(city.name for city in maps.list_cities())
    remedy = f"Available: {names}." if names else "Build one with `pannier map build`."
    return SetupError(f"There is no city {name}. {remedy}")
