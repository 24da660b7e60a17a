"""Building cities of growing size: time, memory and disk.

The bench places copies of an extract side by side, with ids and coordinates of their own, and
builds a city from each file as `pannier map build` does. The first is about as large as a town, the
last as a small country. A step is a part of the build: reading streets and buildings, making tiles,
and preparing the roads of each vehicle. The figure is the CPU time of the whole build. The floor is
the time per megabyte of the second file; below a ratio of 1, a larger file is no slower per
megabyte. Memory is the largest resident set of the command itself, and of a program that it runs.

`BENCH_EXTRACT` names an extract. By default it is central Helsinki, as `scripts/setup dev` fetches
it. `BENCH_COPIES` sets the number of copies in the last file.
"""

import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

import stand
from pannier.maps import cities
from pannier.maps.builder import build_city
from pannier.maps.programs import find_demo_extract, import_osmium
from pannier.maps.source import read_bounds
from stand import Figure, Stand

COPIES: Final = stand.read_size("copies", 80, tiny=2)
# The shares of the copies that are measured.
CURVE: Final = (0.0, 0.1, 0.4, 1.0)
SPACING: Final = 1.05
# The id of an object that no file has: the largest that the routing engine takes.
ABSENT: Final = 2**33 - 1
KILOBYTES_PER_MEGABYTE: Final = 1000


class BuildCost(msgspec.Struct):
    """What a build took."""

    source_bytes: int
    city_bytes: int
    wall_seconds: float
    seconds: dict[str, float]
    own_memory: float
    program_memory: float


class StepTimes:
    """Measures the CPU seconds of the steps of a build, with those of the programs."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._title, self._began = "", 0.0

    def begin(self, title: str) -> Callable[[float], None]:
        """Begin a step."""
        self.end()
        self._title, self._began = title, _read_cpu_seconds()
        return lambda _: None

    def end(self) -> None:
        """End the step."""
        if self._title:
            self.seconds[self._title] = _read_cpu_seconds() - self._began

    def say(self, _: str) -> None:
        """Say nothing."""


class Copier:
    """Writes copies of an extract side by side."""

    def __init__(self, source: Path) -> None:
        self._osmium = import_osmium()
        self._source = source
        self._bounds = read_bounds(source, None)
        # Small numbers in the order of the file, because the routing engine packs them.
        self._numbers: dict[str, dict[int, int]] = {"n": {}, "w": {}, "r": {}}
        for item in self._osmium.FileProcessor(str(source)):
            numbers = self._numbers[item.type_str()]
            numbers[item.id] = len(numbers) + 1

    def write(self, target: Path, copies: int) -> None:
        """Write `copies` copies in about as many columns as rows."""
        columns = max(1, round(copies**0.5))
        writer = self._osmium.SimpleWriter(str(target), header=self._make_header(copies, columns))
        osm = self._osmium.osm
        for kind in (osm.NODE, osm.WAY, osm.RELATION):
            for number in range(copies):
                shift = self._shift(number % columns, number // columns)
                for item in self._osmium.FileProcessor(str(self._source), kind):
                    writer.add(self._copy(item, number, shift))
        writer.close()

    def _make_header(self, copies: int, columns: int) -> Any:  # noqa: ANN401 - of osmium
        west, south, east, north = self._bounds
        across, up = self._shift(columns - 1, (copies - 1) // columns)
        osm, header = self._osmium.osm, self._osmium.io.Header()
        box = osm.Box(osm.Location(west, south), osm.Location(east + across, north + up))
        return header.add_box(box)

    def _shift(self, column: int, row: int) -> tuple[float, float]:
        west, south, east, north = self._bounds
        return column * (east - west) * SPACING, row * (north - south) * SPACING

    def _copy(self, item: Any, number: int, shift: tuple[float, float]) -> Any:  # noqa: ANN401 - of osmium
        changes: dict[str, Any] = {"id": self._renumber(item.type_str(), item.id, number)}
        if item.is_node():
            changes["location"] = item.location.lon + shift[0], item.location.lat + shift[1]
        elif item.is_way():
            changes["nodes"] = [self._renumber("n", node.ref, number) for node in item.nodes]
        else:
            changes["members"] = [
                (member.type, self._renumber(member.type, member.ref, number), member.role)
                for member in item.members
            ]
        return item.replace(**changes)

    def _renumber(self, kind: str, old: int, number: int) -> int:
        """Return an object's id in a copy. Objects that the extract lacks stay unknown."""
        numbers = self._numbers[kind]
        return number * (len(numbers) + 1) + numbers[old] if old in numbers else ABSENT


def build(source: str) -> BuildCost:
    """Build a city in a process of its own, and return what it took."""
    times, began = StepTimes(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        city = build_city(Path(folder), Path(source), "bench", times)
        times.end()
        return BuildCost(
            source_bytes=Path(source).stat().st_size,
            city_bytes=cities.measure_size(city.path),
            wall_seconds=time.monotonic() - began,
            seconds=times.seconds,
            own_memory=_read_peak(resource.RUSAGE_SELF),
            program_memory=_read_peak(resource.RUSAGE_CHILDREN),
        )


def _read_cpu_seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _read_peak(who: int) -> float:
    """Return the largest resident set in megabytes."""
    return resource.getrusage(who).ru_maxrss / KILOBYTES_PER_MEGABYTE


def list_counts() -> Iterator[int]:
    """List how many copies each file has."""
    yield from sorted({max(1, round(COPIES * share)) for share in CURVE})


def measure(test_stand: Stand) -> None:
    named = os.environ.get("BENCH_EXTRACT")
    extract = Path(named) if named else find_demo_extract()
    if extract is None:
        raise SystemExit("The map programs are not installed; run `scripts/setup dev`.")
    floor = None
    with tempfile.TemporaryDirectory() as folder:
        copier = Copier(extract)
        for copies in list_counts():
            file = Path(folder) / "bench.osm.pbf"
            file.unlink(missing_ok=True)
            copier.write(file, copies)
            cost = msgspec.convert(test_stand.run_part("build", str(file)), BuildCost)
            total, megabytes = sum(cost.seconds.values()), cost.source_bytes / 1e6
            test_stand.record(_to_figure(cost, total, megabytes, floor))
            if copies > 1 and floor is None:
                floor = total / megabytes


def _to_figure(cost: BuildCost, total: float, megabytes: float, floor: float | None) -> Figure:
    steps = ", ".join(f"{title.lower()} {taken:.1f} s" for title, taken in cost.seconds.items())
    return Figure(
        what=f"A file of {megabytes:.1f} MB",
        measured=f"{total:.1f} s ({steps}), elapsed {cost.wall_seconds:.1f} s; "
        f"memory {cost.own_memory:.0f} MB, of a program {cost.program_memory:.0f} MB; "
        f"city {cost.city_bytes / 1e6:.0f} MB",
        floor="" if floor is None else f"{floor * megabytes:.1f} s",
        ratio=None if floor is None else total / megabytes / floor,
        aim=None if floor is None else stand.aim_at_most(1.5),
    )


if __name__ == "__main__":
    stand.run(measure, build=build)
