"""List, select and remove cities."""

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
    """A city in a list. An outdated city was not built with the installed programs."""

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
    current_city = maps.find_current_city()
    complete = [_summarize_city(data, city, current_city) for city in maps.list_cities()]
    drafts = sorted(maps.cities.glob(".*.new")) if maps.cities.is_dir() else []
    return complete + [
        CitySummary(
            name=draft.name[1:].removesuffix(".new"),
            in_use=False,
            state="unfinished",
            bytes=measure_size(draft),
        )
        for draft in drafts
    ]


def _summarize_city(data: Path, city: CityFolder, current_city: CityFolder | None) -> CitySummary:
    manifest = city.read_manifest()
    if manifest is None:  # removed since it was listed
        return CitySummary(city.name, in_use=False, state="unfinished", bytes=0)
    return CitySummary(
        name=city.name,
        in_use=current_city is not None and current_city.name == city.name,
        state="ready" if manifest.programs == _read_programs_digest(data) else "outdated",
        bytes=measure_size(city.path),
        profiles=manifest.profiles,
        bounds=manifest.bounds,
        built_at=manifest.built_at,
        source_name=manifest.source_name,
    )


def _read_programs_digest(data: Path) -> str | None:
    try:
        return read_digest(data)
    except SetupError:
        return None


def measure_size(folder: Path) -> int:
    """Add up the sizes of a folder's files in bytes."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def use_city(data: Path, name: str | None) -> None:
    """Put a city in use, or none."""
    maps = MapFolder(data)
    city = None if name is None else maps.get_city(name)
    if city is not None and city.read_manifest() is None:
        raise _make_missing_city_error(maps, city.name)
    maps.use_city(city)


def remove_city(data: Path, name: str) -> bool:
    """Remove a city or an unfinished build. Return whether it was in use."""
    maps = MapFolder(data)
    city = maps.get_city(name)
    draft, old_folder = (city.path.with_name(f".{name}.{suffix}") for suffix in ("new", "old"))
    if not city.path.exists() and not draft.exists():
        raise _make_missing_city_error(maps, name)
    try:
        with hold_lock(city.path.with_name(f".{name}.lock"), wait=False):
            current_city = maps.find_current_city()
            was_in_use = current_city is not None and current_city.name == name
            if was_in_use:
                maps.use_city(None)
            shutil.rmtree(old_folder, ignore_errors=True)
            if city.path.exists():
                city.path.rename(old_folder)
            for folder in (draft, old_folder):
                shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        raise SetupError(
            f"`pannier map build` of {name} is running. Wait for it to finish."
        ) from None
    return was_in_use


def _make_missing_city_error(maps: MapFolder, name: str) -> SetupError:
    names = ", ".join(city.name for city in maps.list_cities())
    remedy = f"Available: {names}." if names else "Build one with `pannier map build`."
    return SetupError(f"There is no city {name}. {remedy}")
