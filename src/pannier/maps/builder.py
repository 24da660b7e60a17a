"""Build a city from an OpenStreetMap extract.

A city is built in a hidden folder, step by step. Each finished step is recorded, so that an
interrupted build continues. The folder is renamed once its manifest is written: a city is complete
or absent.
"""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from pannier.db.embedded.lock import hold_lock
from pannier.errors import SetupError
from pannier.kit.clock import SystemClock
from pannier.maps.folder import PROFILES, CityFolder, CityManifest, MapFolder
from pannier.maps.graphs import build_graph
from pannier.maps.source import check_source, compute_digest, read_bounds

ATTRIBUTION: Final = "© OpenStreetMap contributors"
# Increase this when a step changes, so that builds begin anew.
VERSION: Final = 1
Report = Callable[[str], None]
Counts = dict[str, int]


class BuildState(msgspec.Struct):
    """What an unfinished build has done, for which source."""

    version: int
    source_sha256: str
    done: dict[str, Counts] = {}


def build_city(data: Path, source: Path, name: str, report: Report) -> CityFolder:
    """Build a city, or continue an interrupted build."""
    check_source(source)
    city = MapFolder(data).get_city(name)
    city.path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with hold_lock(city.path.with_name(f".{name}.lock"), wait=False):
            return _Build(data, source.absolute(), city, report).run()
    except BlockingIOError:
        raise SetupError(f"Another `pannier map build` of {name} is running.") from None


class _Build:
    """One build: its draft and its state."""

    def __init__(self, data: Path, source: Path, city: CityFolder, report: Report) -> None:
        self._data, self._source, self._city, self._report = data, source, city, report
        self._draft = CityFolder(city.path.with_name(f".{city.name}.new"))
        self._digest = compute_digest(source, lambda _: None)
        self._state = self._load_state()

    def run(self) -> CityFolder:
        for profile in PROFILES:
            self._run_step(
                f"graph-{profile}",
                f"Roads for {profile}",
                partial(build_graph, self._source, self._draft.graph(profile), profile, self._data),
            )
        return self._complete()

    def _run_step(self, step: str, title: str, action: Callable[[], Counts | None]) -> None:
        if step in self._state.done:
            return
        self._report(title)
        self._state.done[step] = action() or {}
        self._write_state()

    def _complete(self) -> CityFolder:
        bounds = read_bounds(self._source, self._data)
        if bounds is None:
            raise SetupError("The extract does not state its bounds.")
        self._draft.write_manifest(
            CityManifest(
                name=self._city.name,
                bounds=bounds,
                profiles=PROFILES,
                built_at=SystemClock().now().isoformat(),
                source_name=self._source.name,
                source_sha256=self._digest,
                attribution=ATTRIBUTION,
            )
        )
        (self._draft.path / "state.json").unlink()
        old = self._city.path.with_name(f".{self._city.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        if self._city.path.exists():
            self._city.path.rename(old)
        self._draft.path.rename(self._city.path)
        shutil.rmtree(old, ignore_errors=True)
        return self._city

    def _load_state(self) -> BuildState:
        try:
            body = (self._draft.path / "state.json").read_bytes()
            state = msgspec.json.decode(body, type=BuildState)
            if (state.version, state.source_sha256) == (VERSION, self._digest):
                return state
        except (OSError, msgspec.DecodeError):
            pass
        shutil.rmtree(self._draft.path, ignore_errors=True)
        self._draft.path.mkdir(parents=True)
        return BuildState(VERSION, self._digest)

    def _write_state(self) -> None:
        draft = self._draft.path / ".state.json.new"
        draft.write_bytes(msgspec.json.encode(self._state))
        draft.rename(self._draft.path / "state.json")
