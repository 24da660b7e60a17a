"""A backup has everything of one moment, and a restore brings all of it back."""

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from backups.conftest import Vault
from orders.shop import Shop
from pannier.backups import restoring
from pannier.backups.encryption import BackupKey
from pannier.backups.errors import BackupError
from pannier.backups.manifest import find_backups
from pannier.backups.snapshot import SELECT_SEQUENCES, SELECT_TABLES, open_snapshot
from pannier.backups.taking import take_backup
from pannier.files.storage import object_path
from stage import Firm, value

pytestmark = pytest.mark.slow
KEY = BackupKey("a key for backups that is long enough")
# Indexes without names: PostgreSQL numbers those of partitions in the order of their creation.
SCHEMA = """
    select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), null
    from pg_constraint where connamespace = 'public'::regnamespace
    union all
    select 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), tgenabled::text
    from pg_trigger where not tgisinternal
    union all
    select 'index', indrelid::regclass::text, '',
           regexp_replace(pg_get_indexdef(indexrelid), ' INDEX .+? ON ', ' INDEX ON '), null
    from pg_index join pg_class c on c.oid = indexrelid
    where relnamespace = 'public'::regnamespace
    order by 1, 2, 3, 4"""


async def read_everything(url: str) -> dict[str, list[Any]]:
    """Read all rows, sequences, constraints, triggers and indexes of a database."""
    connection = await asyncpg.connect(url)
    try:
        tables = [row["name"] for row in await connection.fetch(SELECT_TABLES)]
        sequences = [row[0] for row in await connection.fetch(SELECT_SEQUENCES)]
        return {
            **{
                table: await connection.fetch(f"select t::text from {table} t order by 1")
                for table in tables
            },
            **{
                name: await connection.fetch(f"select last_value, is_called from {name}")
                for name in sequences
            },
            "schema": await connection.fetch(SCHEMA),
        }
    finally:
        await connection.close()


async def upload(firm: Firm, data: bytes) -> None:
    answer = await firm.api.post("/v1/files", files={"file": ("a.txt", data)})
    assert answer.status_code == 201, answer.text


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
async def test_a_restore_brings_back_every_row_file_and_rule_and_is_silent(
    vault: Vault, shop: Shop, rival: Firm, key: BackupKey | None
) -> None:
    await shop.started(internal_id="A-1", notes='tab\tline\nbackslash\\ "quotes" ü 🚚')
    await upload(shop.firm, b"a photo" * 100_000)
    await upload(rival, b"another photo")
    connection = await asyncpg.connect(vault.source.url)
    await connection.execute(
        # It exists if events were stored before.
        """create table if not exists device_events_other_20260112
           partition of device_events_other for values from ('2026-01-12') to ('2026-01-19')"""
    )
    try:
        manifest = await vault.back_up(key)
        before = await read_everything(vault.source.url)
    finally:
        await connection.execute("drop table device_events_other_20260112")
        await connection.close()
    await vault.restore(key)
    after = await read_everything(vault.empty_url)
    assert before.pop("silence") == []
    assert after.pop("silence") != []
    assert after == before
    listed = sum(table.rows for table in manifest.tables)
    tables = before.keys() - manifest.sequences.keys() - {"schema"}
    assert manifest.rows == listed == sum(len(before[name]) for name in tables)
    assert files_in(vault.folder / "target" / "files") == files_in(vault.folder / "files")
    stored = files_in(vault.folder / "backups")
    assert any(b"another photo" in data for data in stored.values()) == (key is None)


async def test_a_backup_during_writes_is_of_one_moment(vault: Vault, shop: Shop) -> None:
    driver = await shop.driver()
    taking = asyncio.create_task(vault.back_up())
    placed = 0
    while not taking.done() or placed < 3:
        order = await shop.order(driver=driver["id"])
        await shop.post(f"orders/{order['id']}/start", skip_dispatch=True)
        placed += 1
    await taking
    await vault.restore()
    [orders, events, payloads, started] = [
        await value(vault.empty_url, sql)
        for sql in (
            "select count(*) from orders",
            "select count(*) from events where name = 'order.created'",
            "select count(*) from payloads",
            "select count(*) from orders where started_at is not null",
        )
    ]
    assert orders == events == payloads < placed
    assert await value(vault.source.url, "select count(*) from orders") == placed
    assert orders - started in {0, 1}


async def test_files_are_copied_once_and_deleted_ones_are_noted(vault: Vault, shop: Shop) -> None:
    await upload(shop.firm, b"first")
    await vault.back_up()
    await upload(shop.firm, b"second")
    await upload(shop.firm, b"third")
    third = await vault.house.value("select sha256 from files order by created_at desc, uuid desc")
    (vault.folder / "files" / object_path(third)).unlink()
    manifest = await vault.back_up()
    assert vault.reports[1] == "Files: 1, of which new: 1."
    assert vault.reports[3] == "Files: 2, of which new: 1."
    assert manifest.files.missing_examples == [third.hex()]
    assert len(files_in(vault.folder / "backups" / "files")) == 2
    await vault.restore()
    assert set(files_in(vault.folder / "target" / "files").values()) == {b"first", b"second"}


async def test_a_backup_that_is_killed_or_stopped_is_none(vault: Vault, shop: Shop) -> None:
    await shop.order()
    calls = 0

    def should_stop() -> bool:
        nonlocal calls
        calls += 1
        return calls > 5

    with pytest.raises(BackupError, match="stopped"):
        await take_backup(vault.source, vault.destination, None, should_stop=should_stop)
    assert files_in(vault.folder / "backups") == {}

    async with open_snapshot(vault.source.url):
        with pytest.raises(BackupError, match="Another backup"):
            await vault.back_up()

    killed = asyncio.Event()

    def kill() -> bool:
        killed.set()
        return False

    taking = asyncio.create_task(
        take_backup(vault.source, vault.destination, None, should_stop=kill)
    )
    await killed.wait()
    taking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert await find_backups(vault.destination) == []
    with pytest.raises(BackupError, match="no complete backup"):
        await vault.restore()


def damage_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
async def test_a_damaged_backup_is_refused_and_nothing_is_changed(
    vault: Vault, shop: Shop, key: BackupKey | None
) -> None:
    await upload(shop.firm, b"some bytes")
    name = (await vault.back_up(key)).name
    folder, suffix = vault.folder / "backups", "" if key is None else ".enc"
    [file] = [path for path in (folder / "files").rglob("*") if path.is_file()]
    # The first table is read first, so that each refusal comes soon.
    manifest, table = (folder / name / each for each in ("manifest.json", "tables/alert_reads.gz"))
    for path, damage, reason in (
        (manifest, damage_byte, "checksum|changed|cannot be read"),
        (manifest, truncate, "cannot be read|changed"),
        (manifest, Path.unlink, "no complete backup"),
        (table, damage_byte, "checksum|decompressed|changed"),
        (table, truncate, "incomplete"),
        (table, Path.unlink, "is missing"),
        (file, damage_byte, "checksum|changed"),
        (file, Path.unlink, "is missing"),
    ):
        damaged = path if path == file else path.with_name(path.name + suffix)
        kept = damaged.read_bytes()
        damage(damaged)
        with pytest.raises(BackupError, match=reason):
            await vault.restore(key, name)
        damaged.write_bytes(kept)
    assert await value(vault.empty_url, "select count(*) from orders") == 0
    assert not (vault.folder / "target").exists()


async def test_another_key_and_a_full_database_are_refused(
    vault: Vault, shop: Shop, database_url: str
) -> None:
    await shop.order()
    await vault.back_up(KEY)
    with pytest.raises(BackupError, match="another key"):
        await vault.restore(BackupKey("another key that is long enough too"))
    with pytest.raises(BackupError, match="is encrypted"):
        await vault.restore()
    with pytest.raises(BackupError, match="already contains data"):
        await restoring.check_target(database_url)
    before = await read_everything(database_url)
    vault.empty_url = database_url
    with pytest.raises(BackupError, match="already contains data"):
        await vault.restore(KEY)
    assert await read_everything(database_url) == before
