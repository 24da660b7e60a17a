"""Build a city from an OpenStreetMap extract.

A city is built in a hidden folder, step by step. Each finished step is recorded, so that an
interrupted build continues. The folder is renamed after its manifest is written, so a city is
complete or absent.
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
from pannier.maps.address_build import build_address_index
from pannier.maps.folder import PROFILES, CityFolder, CityManifest, MapFolder, Profile
from pannier.maps.graphs import build_graph
from pannier.maps.programs import import_osmium, read_digest
from pannier.maps.runner import DISK_FULL
from pannier.maps.source import Bounds, SourceError, check_source, compute_digest, read_bounds
from pannier.maps.street_features import write_features
from pannier.maps.tiles import build_tiles
from pannier.settings import sync_folder

ATTRIBUTION: Final = "© OpenStreetMap contributors"
# Increase this when a step changes, so that unfinished builds start again.
VERSION: Final = 2
# The disk space that a build needs: a multiple of the size of its extract, and a minimum in bytes.
SPACE_FACTOR: Final = 25
MIN_SPACE_BYTES: Final = 50_000_000
PROFILE_TITLES: Final[dict[Profile, str]] = {
    "car": "Roads for cars",
    "van": "Roads for vans",
    "bicycle": "Roads for bicycles",
}

Counts = dict[str, int]
Advance = Callable[[float], None]


class BuildProgress(Protocol):
    """Shows the progress of a build."""

    def begin(self, title: str) -> Advance:
        """Begin a step, and return a function that shows its share, from 0 to 1."""

    def say(self, sentence: str) -> None:
        """Show a sentence."""


class BuildKey(msgspec.Struct, frozen=True):
    """The inputs that determine the content of a city."""

    builder: int
    programs: str
    source_sha256: str


class BuildState(msgspec.Struct):
    """The completed steps of an unfinished build."""

    key: BuildKey
    done: dict[str, Counts] = {}


def build_city(data: Path, source: Path, name: str, progress: BuildProgress) -> CityFolder:
    """Build a city, or continue an interrupted build. The first city is put in use.

    An existing city from the same extract and the same programs is not built again.
    """
    check_source(source)
    import_osmium(data)
    maps = MapFolder(data)
    city = maps.get_city(name)
    try:
        city.path.parent.mkdir(parents=True, exist_ok=True)
        _check_space(city.path.parent, source)
        with hold_lock(city.path.with_name(f".{name}.lock"), wait=False):
            build = _Build(data, source.resolve(), city, progress)
            if build.is_current():
                progress.say(f"{name} is up to date.")
            else:
                build.run()
    except BlockingIOError:
        raise SetupError(
            f"Another `pannier map build` of {name} is running. Wait for it, or use --name."
        ) from None
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise SetupError(DISK_FULL) from None
        raise SetupError(f"The city cannot be built: {error}.") from None
    if maps.find_current_city() is None:
        maps.use_city(city)
    return city


def _check_space(folder: Path, source: Path) -> None:
    needed_bytes = max(MIN_SPACE_BYTES, source.stat().st_size * SPACE_FACTOR)
    free_bytes = shutil.disk_usage(folder).free
    if free_bytes < needed_bytes:
        raise SetupError(
            f"{folder} has {free_bytes >> 20} MB free, and the city may need "
            f"{needed_bytes >> 20} MB. Free some space, or choose another data directory "
            "with --data."
        )


class _Build:
    """One build, with its draft and its completed steps."""

    def __init__(self, data: Path, source: Path, city: CityFolder, progress: BuildProgress) -> None:
        self._data, self._source, self._city, self._progress = data, source, city, progress
        self._draft = CityFolder(city.path.with_name(f".{city.name}.new"))
        self._features = self._draft.path / "features.json"
        self._initial_file_state = self._read_file_state()
        self._key = BuildKey(VERSION, read_digest(data), self._compute_digest())

    def is_current(self) -> bool:
        """Return whether the complete city is up to date."""
        manifest = self._city.read_manifest()
        return manifest is not None and self._key == BuildKey(
            manifest.builder, manifest.programs, manifest.source_sha256
        )

    def run(self) -> None:
        """Run the remaining steps, then publish the city."""
        self._state = self._load_state()
        try:
            self._run_steps()
        except SourceError:
            shutil.rmtree(self._draft.path)
            raise
        self._publish_city()

    def _run_steps(self) -> None:
        self._bounds = self._read_bounds()
        self._run_step("features", "Streets and buildings", self._write_features)
        self._run_step("tiles", "Street tiles", self._build_tiles)
        for profile in PROFILES:
            self._run_step(profile, PROFILE_TITLES[profile], partial(self._build_graph, profile))
        self._run_step("addresses", "Addresses", self._build_addresses)
        if not self._list_profiles():
            raise SourceError(f"{self._source} has no roads. Use another extract.")
        if self._read_file_state() != self._initial_file_state:
            raise SourceError(f"{self._source} changed during the build. Run it again.")

    def _read_file_state(self) -> tuple[int, int]:
        file = self._source.stat()
        return file.st_mtime_ns, file.st_size

    def _list_profiles(self) -> tuple[Profile, ...]:
        return tuple(profile for profile in PROFILES if self._state.done[profile]["roads"])

    def _run_step(self, step: str, title: str, action: Callable[[Advance], Counts]) -> Counts:
        if step not in self._state.done:
            self._state.done[step] = action(self._progress.begin(title))
            self._write_state()
        return self._state.done[step]

    def _write_features(self, advance: Advance) -> Counts:
        try:
            counts = write_features(self._source, self._features, self._bounds, self._data, advance)
        except RuntimeError as error:
            raise self._make_damage_error(error) from None
        if not counts.get("transportation"):
            raise SourceError(f"{self._source} has no roads. Use another extract.")
        return counts

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
        graph = self._draft.get_graph(profile)
        has_roads = build_graph(self._source, graph, profile, self._data, advance)
        if not has_roads:
            shutil.rmtree(graph.parent)
            self._progress.say(f"The extract has no roads for the profile {profile}.")
        return {"roads": int(has_roads)}

    def _build_addresses(self, advance: Advance) -> Counts:
        try:
            return build_address_index(self._source, self._draft.addresses, self._data, advance)
        except RuntimeError as error:
            raise self._make_damage_error(error) from None

    def _compute_digest(self) -> str:
        advance, size = self._progress.begin("Checking the file"), self._read_size()
        checked_bytes = 0

        def count(chunk_bytes: int) -> None:
            nonlocal checked_bytes
            checked_bytes += chunk_bytes
            advance(checked_bytes / size)

        return compute_digest(self._source, count)

    def _read_size(self) -> int:
        return max(self._source.stat().st_size, 1)

    def _read_bounds(self) -> Bounds:
        try:
            return read_bounds(self._source, self._data)
        except RuntimeError as error:
            raise self._make_damage_error(error) from None

    def _make_damage_error(self, error: RuntimeError) -> SourceError:
        return SourceError(f"{self._source} is damaged: {error}. Download it again.")

    def _publish_city(self) -> None:
        """Replace the published city of this name, if there is one."""
        (self._draft.path / "state.json").unlink()
        for file in self._draft.path.rglob("*"):
            if file.is_file():
                with file.open("rb") as handle:
                    os.fsync(handle.fileno())
        self._draft.write_manifest(
            CityManifest(
                name=self._city.name,
                bounds=self._bounds,
                profiles=self._list_profiles(),
                built_at=SystemClock().now().isoformat(timespec="seconds"),
                source_name=self._source.name,
                source_sha256=self._key.source_sha256,
                attribution=ATTRIBUTION,
                counts=self._state.done["features"] | self._state.done["addresses"],
                builder=self._key.builder,
                programs=self._key.programs,
            )
        )
        replace_city(self._draft, self._city)

    def _load_state(self) -> BuildState:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            body = (self._draft.path / "state.json").read_bytes()
            state = msgspec.json.decode(body, type=BuildState)
            if state.key == self._key:
                self._progress.say("Continuing an interrupted build.")
                return state
        shutil.rmtree(self._draft.path, ignore_errors=True)
        self._draft.path.mkdir(parents=True)
        return BuildState(self._key)

    def _write_state(self) -> None:
        draft = self._draft.path / ".state.json.new"
        draft.write_bytes(msgspec.json.encode(self._state))
        draft.replace(self._draft.path / "state.json")


def replace_city(draft: CityFolder, city: CityFolder) -> None:
    """Replace a city with a complete draft."""
    old_folder = city.path.with_name(f".{city.name}.old")
    shutil.rmtree(old_folder, ignore_errors=True)
    if city.path.exists():
        city.path.rename(old_folder)
    draft.path.rename(city.path)
    sync_folder(city.path.parent)
    shutil.rmtree(old_folder, ignore_errors=True)
