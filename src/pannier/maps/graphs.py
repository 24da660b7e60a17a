"""Build routing graphs with the routing engine's programs."""

import os
import re
import struct
import tarfile
from collections import Counter
from pathlib import Path
from typing import Final

from pannier.errors import SetupError
from pannier.maps.folder import Profile
from pannier.maps.programs import find_profiles, find_program
from pannier.maps.runner import run_program

# Vehicles whose profile is ours; the others come with the engine.
OWN_PROFILES: Final = Path(__file__).parent / "profiles"
# Edges from which one cannot return to the rest form an island. An address snaps to the mainland,
# unless both ends of a route are on the same island. The engine takes every part with more edges
# than this as mainland; in a small extract, the largest part can have fewer.
MAINLAND_EDGES: Final = 1000
LARGE_PARTS: Final = re.compile(r"Found \d+ SCC \((\d+) large")
# An entry of the engine's file of edges: geometry, part of the network, annotation. The top bit of
# the part marks an island.
EDGE: Final = struct.Struct("<III")
EDGES: Final = "/common/ebg_node_data/nodes"
PART_BITS: Final = 0x7FFFFFFF


def build_graph(source: Path, target: Path, profile: Profile, data: Path | None) -> None:
    """Build the graph of a profile at the base path `target`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.iterdir():
        left.unlink()
    output = _extract(source, target, profile, data, MAINLAND_EDGES)
    large = LARGE_PARTS.search(output)
    if large is not None and large[1] == "0":
        largest = count_largest_part(target.with_name(f"{target.name}.ebg_nodes"))
        _extract(source, target, profile, data, largest - 1)
    for name in ("osrm-partition", "osrm-customize"):
        run_program([find_program(name, data), target], folder=target.parent)


def _extract(source: Path, target: Path, profile: Profile, data: Path | None, limit: int) -> str:
    """Extract the network. Parts with up to `limit` edges are islands."""
    profiles = find_profiles(data)
    own = OWN_PROFILES / f"{profile}.lua"
    chosen = own if own.exists() else profiles / own.name
    return run_program(
        [find_program("osrm-extract", data), "-p", chosen, "-o", target,
         "--small-component-size", str(limit), source],
        folder=target.parent,
        environment={"LUA_PATH": f"{profiles}{os.sep}?.lua;;"},
    )  # fmt: skip


def count_largest_part(file: Path) -> int:
    """Return how many edges the largest connected part of a small network has."""
    with tarfile.open(file) as archive:
        entry = archive.extractfile(EDGES)
        edges = b"" if entry is None else entry.read()
    sizes = Counter(part & PART_BITS for _, part, _ in EDGE.iter_unpack(edges))
    if not sizes:
        raise SetupError("The extract has no roads.")
    return max(sizes.values())
