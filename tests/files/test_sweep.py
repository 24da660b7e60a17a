"""Objects that nobody names go, after a day; no row is ever left without its object."""

import asyncio
import hashlib
import random
from pathlib import Path

import pytest

from pannier.files import service, sweep
from pannier.files.models import Content, File
from pannier.files.storage import Storage, StorageUnavailable, object_path
from pannier.kit.clock import ManualClock
from program import PATIENCE
from stage import Firm, House


def storage_in(house: House) -> Storage:
    found: Storage = house.edge.services["storage"]
    return found


def lies(house: House, sha256: str | bytes) -> bool:
    name = sha256 if isinstance(sha256, bytes) else bytes.fromhex(sha256)
    return (house.settings.folder / "files" / object_path(name)).is_file()


async def keep(house: House, firm: Firm, data: bytes) -> File:
    [stored] = await service.store_contents(house.database, storage_in(house), Content(data))
    async with house.database.transaction() as db:
        return await service.create(db, firm.uuid, stored, name="a")


async def swept(house: House) -> None:
    while await sweep.step(house.database, storage_in(house)):
        pass


async def upload(firm: Firm, data: bytes) -> dict[str, str]:
    answer = await firm.api.post("/v1/files", files={"file": ("a.txt", data)})
    found: dict[str, str] = answer.json()
    return found


async def test_a_deleted_files_object_goes_after_a_day(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    made = await upload(acme, b"hello")
    clock.advance(days=3)
    await swept(house)
    assert lies(house, made["sha256"])
    await acme.api.delete(f"/v1/files/{made['id']}")
    clock.advance(hours=23)
    await swept(house)
    assert lies(house, made["sha256"])
    clock.advance(hours=1)
    await swept(house)
    assert not lies(house, made["sha256"])
    assert await house.value("select count(*) from file_sweeps") == 0


async def test_an_object_stays_while_any_file_of_anybody_names_it(
    acme: Firm, rival: Firm, house: House, clock: ManualClock
) -> None:
    mine, theirs = await upload(acme, b"hello"), await upload(rival, b"hello")
    await acme.api.delete(f"/v1/files/{mine['id']}")
    clock.advance(days=2)
    await swept(house)
    assert (await rival.api.get(theirs["url"])).status_code == 410
    fresh = (await rival.api.get(f"/v1/files/{theirs['id']}")).json()["url"]
    assert (await house.client().get(fresh)).content == b"hello"
    await rival.api.delete(f"/v1/files/{theirs['id']}")
    clock.advance(days=1)
    await swept(house)
    assert not lies(house, mine["sha256"])


async def test_the_day_counts_from_the_last_deletion(
    acme: Firm, rival: Firm, house: House, clock: ManualClock
) -> None:
    mine, theirs = await upload(acme, b"hello"), await upload(rival, b"hello")
    await acme.api.delete(f"/v1/files/{mine['id']}")
    clock.advance(hours=20)
    await rival.api.delete(f"/v1/files/{theirs['id']}")
    clock.advance(hours=20)
    await swept(house)
    assert lies(house, mine["sha256"])
    clock.advance(hours=4)
    await swept(house)
    assert not lies(house, mine["sha256"])


async def test_bytes_that_come_back_are_stored_again(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    made = await upload(acme, b"hello")
    await acme.api.delete(f"/v1/files/{made['id']}")
    clock.advance(days=2)
    await swept(house)
    again = await upload(acme, b"hello")
    assert (await house.client().get(again["url"])).content == b"hello"


async def test_a_crash_before_the_row_leaves_an_object_that_is_swept(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    async def crash() -> None:
        [stored] = await service.store_contents(house.database, storage_in(house), Content(b"lost"))
        async with house.database.transaction() as db:
            made.append(await service.create(db, acme.uuid, stored, name="a"))
            raise ConnectionResetError

    made: list[File] = []
    with pytest.raises(ConnectionResetError):
        await crash()
    assert await house.value("select count(*) from files") == 0
    assert lies(house, made[0].sha256)
    clock.advance(days=1)
    await swept(house)
    assert not lies(house, made[0].sha256)


async def test_a_storage_that_fails_leaves_no_row(acme: Firm, house: House) -> None:
    # A file where the folder should be: nothing can be stored.
    (house.settings.folder / "files").write_text("in the way")
    answer = await acme.api.post("/v1/files", files={"file": ("a.txt", b"hello")})
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")
    assert await house.value("select count(*) from files") == 0


async def test_a_row_whose_object_was_lost_says_so(acme: Firm, house: House) -> None:
    made = await upload(acme, b"hello")
    path = house.settings.folder / "files" / object_path(bytes.fromhex(made["sha256"]))
    path.unlink()
    answer = await house.client().get(made["url"])
    assert (answer.status_code, answer.json()["code"]) == (503, "storage_unavailable")


async def test_a_sweep_passes_by_what_is_just_being_kept(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    old = await keep(house, acme, b"hello")
    async with house.database.transaction() as db:
        await service.delete(db, old)
    clock.advance(days=2)
    [stored] = await service.store_contents(house.database, storage_in(house), Content(b"hello"))
    await swept(house)
    async with house.database.transaction() as db:
        new = await service.create(db, acme.uuid, stored, name="b")
        clock.advance(days=2)
        assert await sweep.step(house.database, storage_in(house))
        assert lies(house, new.sha256)
    clock.advance(minutes=5)
    await swept(house)
    assert lies(house, new.sha256)


async def test_what_was_swept_before_it_was_kept_is_refused_and_never_a_row_without_an_object(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    [stored] = await service.store_contents(house.database, storage_in(house), Content(b"hello"))
    clock.advance(days=2)
    await swept(house)
    assert not lies(house, stored.sha256)
    with pytest.raises(StorageUnavailable):
        async with house.database.transaction() as db:
            await service.create(db, acme.uuid, stored, name="a")
    assert await house.value("select count(*) from files") == 0


@pytest.mark.slow
async def test_a_keep_waits_for_a_sweep_of_the_same_bytes(
    acme: Firm, house: House, clock: ManualClock, tmp_path: Path
) -> None:
    old = await keep(house, acme, b"hello")
    async with house.database.transaction() as db:
        await service.delete(db, old)
    clock.advance(days=2)
    slow = SlowStorage((tmp_path / "files").as_uri(), 1024)
    sweeping = asyncio.create_task(sweep.step(house.database, slow))
    await asyncio.wait_for(slow.deleting.wait(), PATIENCE)
    keeping = asyncio.create_task(keep(house, acme, b"hello"))
    await asyncio.sleep(0.2)
    assert not keeping.done()
    slow.go.set()
    assert await sweeping
    assert lies(house, (await keeping).sha256)


async def test_an_object_that_cannot_be_deleted_holds_no_other_up(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    for data in (b"stuck", b"free"):
        file = await keep(house, acme, data)
        async with house.database.transaction() as db:
            await service.delete(db, file)
        clock.advance(seconds=1)
    stuck, free = [hashlib.sha256(data).digest() for data in (b"stuck", b"free")]
    path = house.settings.folder / "files" / object_path(stuck)
    path.unlink()
    path.mkdir()  # A folder is in the way, which nobody can delete as a file.
    clock.advance(days=2)
    for _ in range(3):
        await swept(house)
    assert not lies(house, free)
    assert await house.value("select count(*) from file_sweeps") > 0


class SlowStorage(Storage):
    """The same folder, on a disk that takes its time to delete."""

    def __init__(self, url: str, limit: int) -> None:
        super().__init__(url, limit)
        self.deleting, self.go = asyncio.Event(), asyncio.Event()

    async def delete(self, sha256: bytes) -> None:
        self.deleting.set()
        await self.go.wait()
        await super().delete(sha256)


async def test_two_sweeps_never_take_the_same_note(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    for number in range(6):
        await keep(house, acme, b"%d" % number)
    clock.advance(days=2)
    await asyncio.gather(*(swept(house) for _ in range(4)))
    assert await house.value("select count(*) from file_sweeps") == 0
    assert await house.value("select count(*) from files") == 6


@pytest.mark.slow
async def test_keeping_deleting_and_sweeping_at_once_never_loses_a_living_object(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    contents = [b"one", b"two"]
    busy = True

    async def people() -> None:
        for _ in range(25):
            try:
                file = await keep(house, acme, random.choice(contents))
            except StorageUnavailable:
                continue  # a day went by between storing and keeping; the caller is told
            clock.advance(hours=random.choice([0, 30]))
            if random.random() < 0.8:
                async with house.database.transaction() as db:
                    await service.delete(db, file)

    async def broom() -> None:
        while busy:
            await sweep.step(house.database, storage_in(house))
            await asyncio.sleep(0)

    brooms = [asyncio.create_task(broom()) for _ in range(2)]
    await asyncio.gather(*(people() for _ in range(4)))
    busy = False
    await asyncio.gather(*brooms)
    async with house.database.reading() as db:
        living = await db.fetch_all(File, "select * from files where deleted_at is null")
    assert living
    for file in living:
        assert lies(house, file.sha256)
