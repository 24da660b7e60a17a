"""Build routing graphs with the routing engine's programs."""

import os
import re
import struct
import tarfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pannier.maps.folder import Profile
from pannier.maps.programs import find_profiles, find_program
from pannier.maps.runner import ProgramError, run_program

# Our own profiles. The others come with the engine.
OWN_PROFILES: Final = Path(__file__).parent / "profiles"
# Roads without connections to and from the mainland form an island. An address snaps to the
# mainland, unless both ends of a route are on the same island. The mainland consists of the parts
# with more edges than this. In a small extract, even the largest part can have fewer.
MAX_ISLAND_EDGES: Final = 1000
LARGE_PARTS_PATTERN: Final = re.compile(r"Found \d+ SCC \((\d+) large")
SOURCE_LINK: Final = "source.osm.pbf"
PROFILE_LINK: Final = "profile.lua"
NO_ROADS: Final = "There are no edges remaining"
# An entry of the engine's file of edges: geometry, part of the network, annotation. The top bit of
# the part marks an island.
EDGE_STRUCT: Final = struct.Struct("<III")
EDGES_FILE: Final = "/common/ebg_node_data/nodes"
PART_BITS: Final = 0x7FFFFFFF
# The completed share of the work when the program prints a line with this text.
EXTRACT_MARKS: Final[Mapping[str, float]] = {
    "Parse ways and nodes": 0.05,
    "Parsing finished": 0.35,
    "extraction finished": 0.45,
    "Generating edge-expanded edges": 0.55,
    "Generating guidance turns": 0.65,
    "Building r-tree": 0.75,
}
PARTITION_SHARE: Final = 0.8
CUSTOMIZE_SHARE: Final = 0.95

Advance = Callable[[float], None]


def build_graph(
    source: Path, target: Path, profile: Profile, data: Path | None, advance: Advance
) -> bool:
    """Build the graph of a profile at the base path `target`. Return False if it has no roads."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for old_file in target.parent.iterdir():
        old_file.unlink()
    # The engine accepts no paths with spaces, so it uses links in its working directory.
    profiles = find_profiles(data)
    own_profile = OWN_PROFILES / f"{profile}.lua"
    (target.parent / SOURCE_LINK).symlink_to(source)
    (target.parent / PROFILE_LINK).symlink_to(
        own_profile if own_profile.exists() else profiles / own_profile.name
    )
    try:
        _extract_mainland(target, data, advance)
    except ProgramError as error:
        if any(NO_ROADS in line for line in error.output):
            return False
        raise
    advance(PARTITION_SHARE)
    run_program([find_program("osrm-partition", data), target.name], folder=target.parent)
    advance(CUSTOMIZE_SHARE)
    run_program([find_program("osrm-customize", data), target.name], folder=target.parent)
    _remove_intermediate(target, data)
    return True


def _remove_intermediate(target: Path, data: Path | None) -> None:
    """Remove the files that the engine does not load, about a fifth of the size."""
    needed_suffixes = set()
    run_program(
        [find_program("osrm-routed", data), "--list-inputs"],
        folder=target.parent,
        read_line=lambda line: needed_suffixes.add(line.split()[-1].removeprefix(".osrm")),
    )
    for file in target.parent.iterdir():
        if file.name.removeprefix(target.name) not in needed_suffixes:
            file.unlink()


def _extract_mainland(target: Path, data: Path | None, advance: Advance) -> None:
    """Extract the network. If all parts are islands, repeat with a lower limit."""
    if _extract_network(target, data, MAX_ISLAND_EDGES, advance) == 0:
        largest_part = count_largest_part(target.with_name(f"{target.name}.ebg_nodes"))
        _extract_network(target, data, largest_part - 1, advance)


def _extract_network(target: Path, data: Path | None, limit: int, advance: Advance) -> int | None:
    """Extract the network. Return the number of parts with more edges than the limit."""
    large_parts = None

    def read_line(line: str) -> None:
        nonlocal large_parts
        for text, share in EXTRACT_MARKS.items():
            if text in line:
                advance(share)
        if match := LARGE_PARTS_PATTERN.search(line):
            large_parts = int(match[1])

    run_program(
        [find_program("osrm-extract", data), "-p", PROFILE_LINK, "-o", target.name,
         "--small-component-size", str(limit), SOURCE_LINK],
        folder=target.parent,
        environment={"LUA_PATH": f"{find_profiles(data)}{os.sep}?.lua;;"},
        read_line=read_line,
    )  # fmt: skip
    return large_parts


def count_largest_part(file: Path) -> int:
    """Count the edges of the largest connected part of a small network."""
    with tarfile.open(file) as archive:
        entry = archive.extractfile(EDGES_FILE)
        edges = b"" if entry is None else entry.read()
    sizes = Counter(part & PART_BITS for _, part, _ in EDGE_STRUCT.iter_unpack(edges))
    return max(sizes.values(), default=1)
