"""The worker takes backups when they are due, keeps some, and says when the last one is old."""

from pathlib import Path

import msgspec
import pytest

from backups.test_backups import files_in, upload
from orders.shop import Shop
from pannier.backups import retention, snapshot
from pannier.backups.destination import Destination
from pannier.backups.manifest import find_backups
from pannier.backups.schedule import BackupSchedule
from pannier.settings import Settings
from stage import Firm, House

KEPT_DAYS, KEPT_WEEKS = 2, 3


def named(*days: str) -> list[str]:
    return [f"2026-{day}T030000Z-000001" for day in days]


def test_the_newest_of_each_of_the_last_days_and_weeks_are_kept() -> None:
    names = [
        "2026-01-15T010000Z-000000",
        *named("01-01", "01-03", "01-09", "01-12", "01-14", "01-15"),
    ]
    expired = retention.choose_expired([*names, "other-folder"], KEPT_DAYS, KEPT_WEEKS)
    # Weeks begin on Mondays: the 12th, the 5th and the 29th of December.
    assert sorted(expired) == sorted(["2026-01-15T010000Z-000000", *named("01-01", "01-12")])
    assert retention.choose_expired(named("01-01"), KEPT_DAYS, KEPT_WEEKS) == []


def scheduled(house: House, folder: Path, **more: object) -> Settings:
    url = str(folder / "backups")
    return msgspec.structs.replace(house.settings, backup_url=url, **more)


@pytest.mark.slow
async def test_a_due_backup_is_taken_once_and_expired_ones_go_with_their_files(
    shop: Shop, house: House, tmp_path: Path
) -> None:
    settings = scheduled(house, tmp_path, backup_keep_days=1, backup_keep_weeks=1)
    destination = Destination(str(tmp_path / "backups"))
    await upload(shop.firm, b"deleted later")
    schedule = BackupSchedule(house.database, settings)
    await schedule.step()
    [first] = await find_backups(destination)
    await schedule.step()
    assert await find_backups(destination) == [first]
    async with house.database.transaction() as db:
        await db.execute("update backups set started_at = pannier_now() - interval '25 hours'")
        await db.execute("update files set deleted_at = created_at")
    await upload(shop.firm, b"new")
    (tmp_path / "backups" / "kept" / "by hand").mkdir(parents=True)
    (tmp_path / "backups" / "2020-01-01T000000Z-000000" / "tables").mkdir(parents=True)
    await schedule.step()
    [second] = await find_backups(destination)
    assert second != first
    assert list(files_in(tmp_path / "backups" / "files").values()) == [b"new"]
    assert {path.name for path in (tmp_path / "backups").iterdir()} == {second, "files", "kept"}


@pytest.mark.slow
async def test_a_failed_backup_is_seen_everywhere_and_tried_again_later(
    acme: Firm, house: House, tmp_path: Path
) -> None:
    settings = scheduled(house, tmp_path)
    house.edge.settings = settings
    (tmp_path / "backups").write_text("not a folder")
    await BackupSchedule(house.database, settings).step()
    assert await house.value("select error from backups") is not None
    assert "pannier_backup_failing 1.0" in await house.metrics()
    assert "no backup yet" in (await acme.admin.get("/status")).json()["checks"]["backup"]
    (tmp_path / "backups").unlink()
    await BackupSchedule(house.database, settings).step()
    assert not (tmp_path / "backups").exists()
    async with house.database.transaction() as db:
        await db.execute("update backups set started_at = started_at - interval '2 hours'")
    await BackupSchedule(house.database, settings).step()
    assert len(await find_backups(Destination(settings.backup_url or ""))) == 1
    assert (await acme.admin.get("/status")).json()["checks"]["backup"] == "ok"
    assert "pannier_backup_failing 0.0" in await house.metrics()


@pytest.mark.slow
async def test_a_worker_leaves_a_backup_to_another_one(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "LOCK_ATTEMPTS", 1)
    schedule = BackupSchedule(house.database, scheduled(house, tmp_path))
    async with snapshot.open_snapshot(house.database.connections.url):
        await schedule.step()
    assert not await house.value("select exists (select from backups)")
