"""The box: what strangers send is decoded where there is nothing to find, and nowhere to go."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.proofs import box
from probe import refused
from proofs import drawn, making
from proofs.evidence import Courier

pytestmark = pytest.mark.slow

# Pillow looks at each byte of it in turn, which takes it six seconds.
ENDLESS = b"\xff\xd8" + b"\xff" * 9_000_000
OURS = {"pannier", "pannier.proofs", "pannier.proofs.boxed"}


async def decoder() -> int:
    """Wait until a decoder is at work, and answer its id."""
    async with asyncio.timeout(30):
        while not (found := shut_in()):  # noqa: ASYNC110 - the kernel rings no bell
            await asyncio.sleep(0)
    return found[0]


def shut_in() -> list[int]:
    """List our children that can open nothing any more."""
    tasks = Path("/proc/self/task").iterdir()
    children = [child for task in tasks for child in _read(f"{task}/children").split()]
    only = "Max open files            3 "
    return [int(child) for child in children if only in _read(f"/proc/{child}/limits")]


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="Linux tells of processes")
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
        "Max address space",
    )} == {
        "Max cpu time": 6, "Max file size": 64 << 20, "Max core file size": 0,
        "Max open files": 3, "Max address space": 1536 << 20,
    }  # fmt: skip
    os.kill(child, signal.SIGKILL)
    refused(await sending, 422, "image_too_slow")
    assert (await courier.photographed(order))["integrity"]["sequence"] == 1


@pytest.mark.slow
def test_the_system_stops_what_takes_too_long() -> None:
    outcome = box.run("photos", [ENDLESS], seconds=1, most=1)
    assert (outcome.done, outcome.stopped, outcome.tellings) == (False, True, [])


@pytest.mark.slow
def test_what_takes_too_much_memory_is_refused() -> None:
    # Its head is good, and promises a picture of four hundred megapixels.
    made = making.saved(making.Image.new("L", (16_383, 16_383)), "WEBP", lossless=True, method=0)
    outcome = box.run("photos", [made], seconds=6, most=10**9)
    assert [telling.told.refused for telling in outcome.tellings] in (
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
        "import sys; sys.path.insert(0, sys.argv[1]); import pannier.proofs.boxed.program;"
        "import pannier.proofs.boxed.codes; print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, box.SOURCE], capture_output=True, text=True, check=True
    )
    loaded = {name for name in done.stdout.split() if name.startswith("pannier")}
    assert {name for name in loaded - OURS if not name.startswith("pannier.proofs.boxed.")} == set()
    assert "msgspec" not in done.stdout.split()
