"""What a run of the tests is: which are taken, in which order, and by whom."""

import atexit
import bisect
import gc
import itertools
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from folder_times import FolderTimes

# What processes of the tests compile is kept, as for any user; else each would compile the house.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
TESTS = Path(__file__).parent
# A folder whose files lie in memory, and the bytes that have to be free there for a run.
MEMORY, ROOM = Path("/dev/shm"), 8 << 30  # noqa: S108 - names in it are made by tempfile and pytest
# Folders to begin with: those of long tests, and then the one that reads all the sources.
LONG, READING = ("faults", "bench"), "architecture"
# How much is made between two looks for garbage, which took a twentieth of the run.
SELDOM = 50_000, 20, 20
SLOW_MODULE = re.compile(r"^pytestmark = \[?pytest\.mark\.slow\b", re.MULTILINE)


def lie_in_memory() -> None:
    """Put what a run writes into memory where there is plenty: nothing of it outlives the run.

    To copy a database costs a tenth of what it does on a disk, and nobody waits for one. A process
    that is killed loses no more there than elsewhere.
    """
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    there = os.statvfs(MEMORY)
    if there.f_bavail * there.f_frsize >= ROOM and not there.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # It is looked up anew.


lie_in_memory()
# A process that ends need not look through all that it has, which takes seconds.
atexit.register(gc.freeze)


def pytest_configure(config: pytest.Config) -> None:
    """Load the house where tests run: who only hands them out starts without it, and sooner.

    Nothing of what is loaded until the tests begin is garbage.
    """
    if config.getoption("dist", "no") == "no" or hasattr(config, "workerinput"):
        gc.disable()
        config.pluginmanager.import_plugin("scenery")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(FolderTimes(), "folder_times")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Run three workers on two cores: while one waits, two have something to do.

    A fifth of the time nobody uses the cores otherwise: tests wait for timers and for programs.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None  # xdist reads it.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) * 3 // 2


def everyday(config: pytest.Config) -> bool:
    """Tell whether the slow tests are left out."""
    return bool(config.option.markexpr == "not slow")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import a module of nothing but slow tests where they are left out."""
    if everyday(config) and collection_path.suffix == ".py":
        return SLOW_MODULE.search(collection_path.read_text()) is not None or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect without looking for garbage: there is none, and all that is there stays."""
    begin_elsewhere(session.config)
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*SELDOM)
        gc.enable()


def begin_elsewhere(config: pytest.Config) -> None:
    """Let each process of a run begin at a place of its own: what one compiled, the others find.

    Only where the order of the run does not depend on it.
    """
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    told = getattr(config, "workerinput", None)
    if told is None or not everything or not config.pluginmanager.hasplugin("randomly"):
        return
    places = {
        place: len([place, *place.rglob("test_*.py")])
        for place in sorted(TESTS.iterdir())
        if (place.is_dir() or place.name.startswith("test_")) and place.name != "__pycache__"
    }
    passed = sum(places.values()) * int(told["workerid"].removeprefix("gw")) / told["workercount"]
    first = bisect.bisect_left(list(itertools.accumulate(places.values())), passed)
    addresses = [str(place) for place in places]
    config.args = [*addresses[first:], *addresses[:first]]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes minutes, so that in the end nobody waits for it.

    What reads the sources stays together: so only one process has to read them.
    """
    items.sort(key=turn)


def turn(item: pytest.Item) -> int:
    """Say whose turn a test has: the first are those that may take longer than others may."""
    folder, patience = item.path.parent.name, item.get_closest_marker("timeout")
    usual = float(item.config.getini("timeout"))
    if folder in LONG or (patience is not None and patience.args[0] > usual):
        return 0
    return 1 if folder == READING else 2
