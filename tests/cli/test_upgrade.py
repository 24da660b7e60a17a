"""`pannier upgrade --check` says what an upgrade will do, and changes nothing."""

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from cli import shell
from pannier.db import versions
from pannier.db.migrate import Migration, list_migrations, migrate
from pannier.db.migration_effects import Effect, list_created_tables, list_effects

STEPS = list_migrations()
SECRET = "s" * 32


def effects(sql: str) -> list[Effect]:
    return list_effects(Migration(9999, "9999_next.sql", sql))


def test_the_effects_of_a_step_are_those_on_tables_that_were_there_before() -> None:
    sql = """create table letters (address text);
        create index on letters (address);
        alter table orders add column colour text;
        alter table orders add column weight integer;
        -- allowed rewrite: it is small.
        alter table stores alter column name type varchar(9);
        drop table stamps;"""
    assert effects(sql) == [("orders", "locks"), ("stores", "rewrites"), ("stamps", "drops")]
    assert list_created_tables(Migration(9999, "9999_next.sql", sql)) == ["letters"]


def test_long_work_in_the_background_is_named() -> None:
    assert effects(
        """-- outside a transaction
        create index concurrently if not exists orders_colour on orders (colour);
        do $$ begin update places set name = name; commit; end $$;
        alter table stores validate constraint named;"""
    ) == [("orders", "indexes"), ("places", "fills"), ("stores", "checks")]


async def execute(url: str, sql: str, *values: Any) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(sql, *values)
    await connection.close()


@pytest.mark.slow
def test_an_upgrade_is_described_then_done(empty_url: str, tmp_path: Path) -> None:
    asyncio.run(migrate(empty_url, STEPS[:1]))
    settings = {"database_url": empty_url, "secret": SECRET}
    said = shell.run(tmp_path, "upgrade", "--check", **settings)
    assert said.returncode == 0, said.stderr
    assert "The database is at step 0001." in said.stdout
    assert "0003_plans.sql: creates plans, plan_runs, plan_roads, planned_stops." in said.stdout
    assert "0011_unpriced_orders.sql: indexes orders (" in said.stdout
    assert "No running process is known." in said.stdout
    report = shell.answer(tmp_path, "upgrade", "--check", "--json", **settings)
    assert [step["name"] for step in report["pending"]] == [step.name for step in STEPS[1:]]
    assert report["oldest_version"] == versions.read_version() == "0.1.0"

    done = shell.answer(tmp_path, "upgrade", "--json", **settings)
    assert done["steps"] == [step.name for step in STEPS[1:]]
    asyncio.run(
        execute(
            empty_url,
            """insert into api_heartbeats (process, started_at, beat_at, version)
               values ('node-1:7', pannier_now(), pannier_now(), '0.1.0'),
                      ('node-2:8', pannier_now(), pannier_now(), '0.0.9'),
                      ('node-3:9', pannier_now(), pannier_now() - interval '1 hour', '0.0.9')""",
        )
    )
    said = shell.run(tmp_path, "upgrade", "--check", **settings)
    assert said.returncode == 1
    assert "No migrations are pending." in said.stdout
    assert "api node-1:7, 0.1.0: may stay" in said.stdout
    assert "api node-2:8, 0.0.9: must be stopped first" in said.stdout
    assert "node-3:9" not in said.stdout
    assert "Processes older than 0.1.0 are running. Stop them first." in said.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", ["migrate", "worker", "upgrade --check", "doctor"])
def test_commands_of_a_release_that_is_too_old_refuse_in_a_sentence(
    migrated_url: str, tmp_path: Path, words: str
) -> None:
    asyncio.run(
        execute(
            migrated_url,
            """insert into migrations (number, name, checksum, oldest_version)
               values (9999, '9999_next.sql', '', '99.0.0')""",
        )
    )
    done = shell.run(tmp_path, *words.split(), database_url=migrated_url, secret=SECRET)
    assert done.returncode == 1
    assert "needs version 99.0.0 or later, but this is" in done.stdout + done.stderr


@pytest.mark.slow
def test_an_operator_lists_and_allows_a_stopped_sweep(migrated_url: str, tmp_path: Path) -> None:
    settings = {"database_url": migrated_url, "secret": SECRET}
    assert "No sweep has stopped." in shell.run(tmp_path, "sweep", "list", **settings).stderr
    asyncio.run(
        execute(
            migrated_url,
            """insert into stopped_sweeps (sweep, expired_rows, total_rows, stopped_at)
               values ('events', 1562, 1597, pannier_now())""",
        )
    )
    assert "1,562 or more" in shell.run(tmp_path, "sweep", "list", **settings).stdout
    wrong = shell.run(tmp_path, "sweep", "allow", "evnts", **settings)
    assert wrong.returncode == 1
    assert "The sweep evnts has not stopped." in wrong.stderr
    assert shell.run(tmp_path, "sweep", "allow", "events", **settings).returncode == 0
    (listed,) = shell.answer(tmp_path, "sweep", "list", "--json", **settings)
    assert listed["allowed"] is True
