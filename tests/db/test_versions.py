"""An older process goes on beside a newer release, or refuses in a sentence, as its steps say."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from pannier.db import migrate, versions
from pannier.db.migrate import AppliedStep, Migration, MigrationError
from pannier.web.process_heartbeat import ProcessHeartbeat
from pannier.worker import Worker
from program import PATIENCE
from stage import Firm, House

OURS = versions.read_version()
LATER = "99.0.0"
STEP = Migration(9998, "9998_next.sql", "-- oldest version: 1.2.3\nselect 1")


@asynccontextmanager
async def migrated_further(house: House, oldest_version: str) -> AsyncIterator[None]:
    """Have a newer release apply a step."""
    async with house.database.transaction() as db:
        await db.execute(
            """insert into migrations (number, name, checksum, applied_at, oldest_version)
               values (9999, '9999_next.sql', '', :now, :version)""",
            now=db.now,
            version=oldest_version,
        )
    try:
        yield
    finally:
        house.database.is_outdated = False
        async with house.database.transaction() as db:
            await db.execute("delete from migrations where number = 9999")


def test_versions_are_compared_by_their_numbers() -> None:
    assert versions.is_older("0.9.1", "0.10.0")
    assert versions.is_older("1.2", "1.2.1")
    assert not versions.is_older("1.3.0.dev1", "1.3.0")
    assert versions.is_older("", "0.1.0")  # a release that said nothing
    assert versions.find_required_version(["0.2.0", "0.10.0"]) == "0.10.0"
    assert versions.find_required_version([]) == "0.1.0"


def test_a_step_declares_the_oldest_version_that_may_run_beside_it() -> None:
    assert STEP.oldest_version == "1.2.3"
    assert STEP._replace(sql="select 1").oldest_version is None
    assert STEP._replace(number=1, sql="select 1").oldest_version == "0.1.0"


def test_an_older_program_starts_if_the_newer_steps_allow_it() -> None:
    assert migrate.list_pending_steps({9999: AppliedStep("", OURS)}, []) == []
    assert migrate.list_pending_steps({9999: AppliedStep("", OURS)}, [STEP]) == [STEP]


@pytest.mark.parametrize(
    ("oldest_version", "sentence"),
    [(LATER, f"needs version {LATER} or later, but this is {OURS}"), (None, "step 9999")],
)
def test_an_older_program_does_not_start_if_a_newer_step_does_not_allow_it(
    oldest_version: str | None, sentence: str
) -> None:
    with pytest.raises(MigrationError, match=sentence):
        migrate.list_pending_steps({9999: AppliedStep("", oldest_version)}, [])


async def test_running_processes_go_on_beside_a_release_that_allows_them(
    acme: Firm, house: House
) -> None:
    async with migrated_further(house, OURS):
        assert (await house.client().get("/readyz")).status_code == 200
        await ProcessHeartbeat(house.database).record()
        await Worker(house.database, []).record_heartbeat()
        assert (await acme.api.get("/v1/organizations/current")).status_code == 200


async def test_running_processes_stop_beside_a_release_that_does_not_allow_them(
    acme: Firm, house: House
) -> None:
    heartbeat = ProcessHeartbeat(house.database)
    async with migrated_further(house, LATER):
        ready = await house.client().get("/readyz")
        assert ready.status_code == 503
        assert f"needs version {LATER}" in ready.json()["checks"]["migrations"]
        with pytest.raises(versions.ProgramOutdated):
            await heartbeat.record()
        refused = await acme.api.get("/v1/organizations/current")
        assert (refused.status_code, refused.json()["code"]) == (503, "program_outdated")
        assert refused.headers["Retry-After"]
        await asyncio.wait_for(Worker(house.database, []).run(), PATIENCE)
    await heartbeat.record()
    assert (await acme.api.get("/v1/organizations/current")).status_code == 200


async def test_a_process_that_ends_is_no_longer_listed(house: House) -> None:
    heartbeat = ProcessHeartbeat(house.database)
    await heartbeat.record()
    await heartbeat.record()
    assert await house.value("select array_agg(version) from api_heartbeats") == [OURS]
    await heartbeat.close()
    assert await house.value("select count(*) from api_heartbeats") == 0
