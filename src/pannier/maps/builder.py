"""Build a city from an OpenStreetMap extract.

A city is built in a hidden folder, step by step. Each finished step is recorded, so that an
interrupted build continues. The folder is renamed once its manifest is written: a city is complete
or absent.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import msgspec

from pannier.db.embedded.lock import hold_lock
from pannier.errors import SetupError
from pannier.kit.clock import SystemClock
from pannier.maps.folder import PROFILES, CityFolder, CityManifest, MapFolder, Profile
from pannier.maps.graphs import build_graph
from pannier.maps.programs import import_osmium
from pannier.maps.runner import DISK_FULL
from pannier.maps.source import Bounds, check_source, compute_digest, read_bounds
from pannier.maps.street_features import write_features
from pannier.maps.tiles import build_tiles
from pannier.settings import sync_folder

ATTRIBUTION: Final = "© OpenStreetMap contributors"
# Increase this when a step changes, so that unfinished builds begin anew.
VERSION: Final = 1
# A build needs at most this many times the size of its extract, and a little for a small one.
SPACE_FACTOR: Final = 25
MIN_SPACE: Final = 50_000_000
PROFILE_TITLES: Final[dict[Profile, str]] = {
    "car": "Roads for cars",
    "van": "Roads for vans",
    "bicycle": "Roads for bicycles",
}

Counts = dict[str, int]
Advance = Callable[[float], None]


class BuildProgress(Protocol):
    """Shows how far a build is."""

    def begin(self, title: str) -> Advance:
        """Begin a step, and return what takes its share, from 0 to 1."""

    def say(self, sentence: str) -> None:
        """Show a sentence."""


class BuildState(msgspec.Struct):
    """What an unfinished build has done, for which extract."""

    version: int
    source_sha256: str
    done: dict[str, Counts] = {}


def build_city(data: Path, source: Path, name: str, progress: BuildProgress) -> CityFolder:
    """Build a city, or continue an interrupted build. The first city becomes the one in use."""
    check_source(source)
    import_osmium(data)
    maps = MapFolder(data)
    city = maps.get_city(name)
    try:
        city.path.parent.mkdir(parents=True, exist_ok=True)
        _check_space(city.path.parent, source)
        with hold_lock(city.path.with_name(f".{name}.lock"), wait=False):
            _Build(data, source.resolve(), city, progress).run()
    except BlockingIOError:
        raise SetupError(
            f"Another `pannier map build` of {name} is running. Wait for it, or use --name."
        ) from None
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise SetupError(DISK_FULL) from None
        raise SetupError(f"The city cannot be built: {error}.") from None
    if maps.find_current() is None:
        maps.use(city)
    return city


def _check_space(folder: Path, source: Path) -> None:
    needed = max(MIN_SPACE, source.stat().st_size * SPACE_FACTOR)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SetupError(
            f"{folder} has {free >> 20} MB free, and the city may need {needed >> 20} MB. Free "
            "some space, or choose another data directory with --data."
        )


class _Build:
    """One build: its draft and what was done."""

    def __init__(self, data: Path, source: Path, city: CityFolder, progress: BuildProgress) -> None:
        self._data, self._source, self._city, self._progress = data, source, city, progress
        self._draft = CityFolder(city.path.with_name(f".{city.name}.new"))
        self._features = self._draft.path / "features.json"

    def run(self) -> None:
        """Do all steps that are not done yet, then put the city in its place."""
        before = self._source.stat()
        self._digest = self._compute_digest()
        self._state = self._load_state()
        self._bounds = self._read_bounds()
        if self._do("features", "Streets and buildings", self._write_features)["transportation"]:
            self._do("tiles", "Street tiles", self._build_tiles)
        else:
            raise SetupError(f"{self._source} has no roads. Use another extract.")
        for profile in PROFILES:
            self._do(f"{profile}", PROFILE_TITLES[profile], partial(self._build_graph, profile))
        after = self._source.stat()
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            shutil.rmtree(self._draft.path)
            raise SetupError(f"{self._source} changed during the build. Run it again.")
        self._complete()

    def _do(self, step: str, title: str, action: Callable[[Advance], Counts]) -> Counts:
        if step not in self._state.done:
            self._state.done[step] = action(self._progress.begin(title))
            self._write_state()
        return self._state.done[step]

    def _write_features(self, advance: Advance) -> Counts:
        try:
            counts = write_features(self._source, self._features, self._bounds, self._data, advance)
        except RuntimeError as error:
            raise self._describe_damage(error) from None
        return {"transportation": 0, **counts}

    def _build_tiles(self, advance: Advance) -> Counts:
        build_tiles(
            self._features,
            self._draft.streets,
            name=self._city.name,
            attribution=ATTRIBUTION,
            data=self._data,
            advance=advance,
        )
        self._features.unlink()
        return {}

    def _build_graph(self, profile: Profile, advance: Advance) -> Counts:
        graph = self._draft.graph(profile)
        has_roads = build_graph(self._source, graph, profile, self._data, advance)
        if not has_roads:
            shutil.rmtree(graph.parent)
            self._progress.say(f"There are none for the profile {profile}.")
        return {"roads": int(has_roads)}

    def _compute_digest(self) -> str:
        advance, size, done = self._progress.begin("Checking the file"), self._size(), 0

        def count(chunk: int) -> None:
            nonlocal done
            done += chunk
            advance(done / size)

        return compute_digest(self._source, count)

    def _size(self) -> int:
        return max(self._source.stat().st_size, 1)

    def _read_bounds(self) -> Bounds:
        try:
            return read_bounds(self._source, self._data)
        except RuntimeError as error:
            raise self._describe_damage(error) from None

    def _describe_damage(self, error: RuntimeError) -> SetupError:
        return SetupError(f"{self._source} is damaged: {error}. Download it again.")

    def _complete(self) -> None:
        """Put the city in its place. An earlier one of that name is replaced at once."""
        done = self._state.done
        (self._draft.path / "state.json").unlink()
        for file in self._draft.path.rglob("*"):
            if file.is_file():
                with file.open("rb") as handle:
                    os.fsync(handle.fileno())
        self._draft.write_manifest(
            CityManifest(
                name=self._city.name,
                bounds=self._bounds,
                profiles=tuple(profile for profile in PROFILES if done[profile]["roads"]),
                built_at=SystemClock().now().isoformat(timespec="seconds"),
                source_name=self._source.name,
                source_sha256=self._digest,
                attribution=ATTRIBUTION,
                counts=done["features"],
            )
        )
        replace_city(self._draft, self._city)

    def _load_state(self) -> BuildState:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            body = (self._draft.path / "state.json").read_bytes()
            state = msgspec.json.decode(body, type=BuildState)
            if (state.version, state.source_sha256) == (VERSION, self._digest):
                self._progress.say("Continuing an interrupted build.")
                return state
        shutil.rmtree(self._draft.path, ignore_errors=True)
        self._draft.path.mkdir(parents=True)
        return BuildState(VERSION, self._digest)

    def _write_state(self) -> None:
        draft = self._draft.path / ".state.json.new"
        draft.write_bytes(msgspec.json.encode(self._state))
        draft.replace(self._draft.path / "state.json")


def replace_city(draft: CityFolder, city: CityFolder) -> None:
    """Put a complete draft in a city's place."""
    old = city.path.with_name(f".{city.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if city.path.exists():
        city.path.rename(old)
    draft.path.rename(city.path)
    sync_folder(city.path.parent)
    shutil.rmtree(old, ignore_errors=True)
