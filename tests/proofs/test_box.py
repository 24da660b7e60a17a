"""The box: what strangers send is decoded where there is nothing to find, and nowhere to go."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import TypeVar

import pytest

import stage
from pannier.db import Database
from pannier.errors import Unavailable
from pannier.kit.clock import ManualClock
from pannier.proofs import sandbox
from pannier.proofs.sandboxed import REPORT_HEADER
from probe import refused
from program import PATIENCE
from proofs import drawn, making
from proofs.evidence import Courier

pytestmark = pytest.mark.slow

# Pillow looks at each byte of it in turn, which takes it six seconds.
ENDLESS = b"\xff\xd8" + b"\xff" * 9_000_000
OURS = {"pannier", "pannier.proofs", "pannier.proofs.sandboxed"}


linux = pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="Linux tells of them")
Found = TypeVar("Found")


async def decoder(owner: int = 0) -> int:
    """Wait until a decoder of a process is at work, and answer its id."""
    return (await seen(lambda: shut_in(owner or os.getpid())))[0]


async def seen(look: Callable[[], Found]) -> Found:
    """Look until there is something to see."""
    async with asyncio.timeout(PATIENCE):
        while not (found := look()):  # noqa: ASYNC110 - the kernel rings no bell
            await asyncio.sleep(0.005)
    return found


def shut_in(owner: int) -> list[int]:
    """List those whom a process keeps that can open nothing any more."""
    only = "Max open files            3 "
    return [one for one in kept(owner) if only in _read(f"/proc/{one}/limits")]


def kept(owner: int) -> list[int]:
    """List the processes that come from one."""
    tasks = Path(f"/proc/{owner}/task").glob("*/children")
    children = [int(child) for task in tasks for child in _read(str(task)).split()]
    return children + [one for child in children for one in kept(child)]


def keeper(owner: int) -> int:
    """Find the keeper of a process."""
    return next(one for one in kept(owner) if "import fork_server" in _read(f"/proc/{one}/cmdline"))


def opened(process: int) -> set[str]:
    """List what a process has open."""
    return {one.name for one in Path(f"/proc/{process}/fd").iterdir()}


def gone(process: int) -> bool:
    """Tell whether a process has ended, buried or not."""
    state = _read(f"/proc/{process}/stat").rpartition(")")[2].split()
    return not state or state[0] in {"Z", "X"}


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


@linux
async def test_a_decoder_has_no_secret_and_may_do_little_and_its_death_is_nobodys(
    courier: Courier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANNIER_SECRET", "never to be seen by a decoder")
    order = await courier.order()
    body = {"photo": drawn.text(ENDLESS)}
    sending = asyncio.create_task(courier.send(order, "capture-photo", **body))
    child = await decoder()
    surroundings, limits = (_read(f"/proc/{child}/{name}") for name in ("environ", "limits"))
    assert "PANNIER" not in surroundings
    assert _read(f"/proc/{child}/cmdline").split("\0")[1] == "-I"  # an interpreter of its own
    told = {line[:26].strip(): line[26:].split()[1] for line in limits.splitlines()[1:]}
    assert {name: int(told[name]) for name in (
        "Max cpu time", "Max file size", "Max core file size", "Max open files",
        "Max address space", "Max processes",
    )} == {
        "Max cpu time": 6, "Max file size": 64 << 20, "Max core file size": 0,
        "Max open files": 3, "Max address space": 1536 << 20, "Max processes": 0,
    }  # fmt: skip
    assert opened(child) == {"0", "1", "2"}
    walls = {"Seccomp:\t2", "NoNewPrivs:\t1"}
    assert await seen(lambda: walls <= set(_read(f"/proc/{child}/status").splitlines()))
    os.kill(child, signal.SIGKILL)
    refused(await sending, 422, "image_too_slow")
    assert (await courier.photographed(order))["integrity"]["sequence"] == 1


@linux
async def test_a_picture_whose_keeper_is_killed_is_looked_at_by_the_next(courier: Courier) -> None:
    order = await courier.order()
    await courier.photographed(order)
    body = {"photo": drawn.text(ENDLESS)}
    sending = asyncio.create_task(courier.send(order, "capture-photo", **body))
    child, killed = await decoder(), keeper(os.getpid())
    os.kill(killed, signal.SIGKILL)
    assert await seen(lambda: gone(child))
    other = await decoder()
    assert keeper(os.getpid()) != killed
    os.kill(keeper(os.getpid()), signal.SIGKILL)  # one such death is bad luck, two are too many
    assert await seen(lambda: gone(other))
    refused(await sending, 503, "unavailable")
    assert (await courier.photographed(order))["integrity"]["sequence"] == 2


@linux
async def test_nothing_of_the_box_outlives_its_server() -> None:
    script = (
        "import sys; from pannier.proofs import sandbox;"
        "sandbox.run('photos', [sys.stdin.buffer.read()], seconds=60, max_pixels=1)"
    )
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdin=pipe)
    talking = asyncio.create_task(server.communicate(ENDLESS))
    child = await decoder(server.pid)
    both = [keeper(server.pid), child]
    server.kill()
    await talking
    assert await seen(lambda: all(map(gone, both)))


@linux
async def test_whoever_waits_too_long_gives_up_and_so_does_the_decoder() -> None:
    impatient = sandbox.Sandbox(wall_seconds_per_cpu_second=0, startup_seconds=1)
    with pytest.raises(Unavailable):
        impatient.run("photos", [ENDLESS], seconds=60, max_pixels=1)
    assert await seen(lambda: not shut_in(os.getpid()))
    impatient.close()


@linux
def test_many_at_once_get_their_own_pictures_and_leave_nothing_behind() -> None:
    some = sandbox.Sandbox(jobs_per_server=5)  # so that keepers change in between

    def run(width: int) -> tuple[int, bool]:
        outcome = some.run("photos", [making.plain(width, 8)], seconds=6, max_pixels=10**6)
        return outcome.parts[0].report.width, outcome.done

    before = set(kept(os.getpid()))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(run, range(20, 40))) == [(width, True) for width in range(20, 40)]
    some.close()
    assert set(kept(os.getpid())) <= before


@pytest.mark.parametrize(
    "facts",
    [
        b"no JSON",
        b"\xff",
        b'{"sizes": [-1, 5]}',
        b'{"sizes": [1, 1, 2]}',
        b'{"sizes": [4], "pixels": 9000000000000000000}',
        b'{"sizes": [4], "width": -1}',
        b'{"sizes": [4], "message": "%s"}' % (b"a" * 101),
        b'{"sizes": [4], "exif": {"make": "\\u0000"}}',
        b'{"sizes": [4], "exif": {"other": "than a camera says"}}',
        b'{"sizes": [4], "exif": {"gps": [1, 2, 3]}}',
        b'{"sizes": [4], "codes": [%s]}' % b",".join([b'["", "", null]'] * 256),
        b'{"sizes": [4], "codes": [["%s", "", null]]}' % (b"a" * (1 << 20)),
    ],
)
def test_a_decoder_that_was_taken_over_says_nothing_that_we_believe(facts: bytes) -> None:
    good = b'{"sizes": [4], "done": true}'
    for words, count in ((good, 1), (facts, 0)):
        told = BytesIO(REPORT_HEADER.pack(len(words), 4) + words + b"made")
        assert len(list(sandbox.parse_results(told))) == count


def test_the_system_stops_what_takes_too_long() -> None:
    outcome = sandbox.run("photos", [ENDLESS], seconds=1, max_pixels=1)
    assert (outcome.done, outcome.timed_out, outcome.parts) == (False, True, [])


def test_what_takes_too_much_memory_is_refused() -> None:
    # Its head is good, and promises a picture of four hundred megapixels.
    made = making.saved(making.Image.new("L", (16_383, 16_383)), "WEBP", lossless=True, method=0)
    outcome = sandbox.run("photos", [made], seconds=6, max_pixels=10**9)
    assert [telling.report.error_code for telling in outcome.parts] in (
        ["image_unreadable"],
        ["image_too_large"],
    )


async def test_a_request_has_so_many_pixels_and_no_more(courier: Courier) -> None:
    order = await courier.order()
    large = drawn.text(making.plain(7_000, 7_000))
    answer = await courier.send(order, "capture-photo", photos=[large] * 5)
    refused(answer, 413, "image_too_large")
    assert "200 megapixels in one request" in answer.json()["detail"]


async def test_a_caller_has_so_many_pictures_a_minute(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await stage.build(database, clock, str(tmp_path), picture_rate="10")
    courier, other = Courier(await house.found("Acme")), Courier(await house.found("Rival"))
    order = await courier.order()
    photos = [drawn.text(drawn.photo(turn)) for turn in range(8)]
    assert (await courier.send(order, "capture-photo", photos=photos)).status_code == 201
    answer = await courier.send(order, "capture-photo", photos=photos)
    refused(answer, 429, "too_many_requests")
    assert int(answer.headers["retry-after"]) > 0
    assert (await courier.scanned(order))["method"] == "scan"  # without a picture it costs nothing
    assert await other.photographed(await other.order())
    clock.advance(minutes=1)
    assert (await courier.send(order, "capture-photo", photos=photos)).status_code == 201


def test_the_program_in_the_box_loads_nothing_else_of_ours() -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import pannier.proofs.sandboxed.fork_server;"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, sandbox.SOURCE_ROOT],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name for name in done.stdout.split() if name.startswith("pannier")}
    assert {
        name for name in loaded - OURS if not name.startswith("pannier.proofs.sandboxed.")
    } == set()
    assert "msgspec" not in done.stdout.split()
