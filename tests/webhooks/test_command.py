"""`pannier webhook replay`: counts first, asks, and then goes on until nothing remains."""

import asyncio
from pathlib import Path
from typing import Final

import click
import pytest
from click.testing import CliRunner, Result

import program
import stage
from pannier.cli import pannier
from pannier.errors import NotFound, Problem
from stage import Firm
from webhooks.office import Office
from webhooks.test_replays import fail

YEAR: Final = ("--since", "2026-01-01T00:00:00Z")


class Shell:
    """Runs commands on the test's own database, without a process for each."""

    def __init__(self, url: str, folder: Path) -> None:
        self.settings = {"database_url": url, "secret": stage.SECRET}
        self._environment = program.environment(folder, **self.settings)

    async def replay(self, *words: str, answer: str = "") -> Result:
        def run() -> Result:
            return CliRunner().invoke(
                pannier, ["webhook", "replay", *words], env=self._environment, input=answer
            )

        return await asyncio.to_thread(run)

    async def said(self, *words: str, answer: str = "") -> list[str]:
        done = await self.replay(*words, answer=answer)
        assert done.exit_code == 0, (done.output, done.exception)
        return done.output.splitlines()


@pytest.fixture
def shell(database_url: str, tmp_path: Path) -> Shell:
    return Shell(database_url, tmp_path)


@pytest.fixture
async def office(acme: Firm) -> Office:
    """An office with three deliveries that have failed."""
    office = Office.of(acme)
    await office.register()
    await fail(office, "order_1", "order_2", "order_3")
    return office


async def states(office: Office) -> set[str]:
    return {row["state"] for row in await office.deliveries()}


@pytest.mark.slow
async def test_a_dry_run_counts_and_does_nothing(office: Office, shell: Shell) -> None:
    assert await shell.said(*YEAR, "--dry-run") == ["3 deliveries match."]
    assert await shell.said(*YEAR, "--dry-run", "--yes") == ["3 deliveries match."]
    assert await states(office) == {"failed"}


@pytest.mark.slow
async def test_a_program_reads_what_came_of_it_and_is_never_asked(
    office: Office, shell: Shell
) -> None:
    refused = await shell.replay(*YEAR, "--json")
    assert refused.exit_code == 2
    assert "Error: --json needs --yes or --dry-run." in refused.output
    assert await shell.said(*YEAR, "--json", "--dry-run") == ['{"matched":3,"replayed":0}']
    said = await shell.said(*YEAR, "--json", "--yes", "--batch", "2")
    assert said == ['{"matched":3,"replayed":3}']
    assert await states(office) == {"pending"}


async def test_it_asks_and_takes_no_for_an_answer(office: Office, shell: Shell) -> None:
    said = await shell.said(*YEAR, answer="n\n")
    assert said == ["3 deliveries match.", "Replay them? [y/N]: n"]
    assert await states(office) == {"failed"}


@pytest.mark.slow
async def test_with_a_yes_it_replays(office: Office, shell: Shell, acme: Firm) -> None:
    said = await shell.said(*YEAR, answer="y\n")
    assert said[-1] == "Replayed 3 of 3."
    assert await states(office) == {"pending"}
    (entry, *_) = (await acme.admin.get("/int/v1/audit")).json()["data"]
    assert (entry["action"], entry["actor_type"]) == ("webhook_deliveries.replayed", "command")
    assert await shell.said(*YEAR, "--yes") == ["0 deliveries match."]


async def test_it_goes_on_in_batches_until_nothing_remains(office: Office, shell: Shell) -> None:
    said = await shell.said("--state", "failed", "--batch", "2", "--yes")
    assert said == ["3 deliveries match.", "Replayed 2 of 3.", "Replayed 3 of 3."]
    assert await states(office) == {"pending"}


@pytest.mark.slow
async def test_it_replays_only_what_was_named(office: Office, shell: Shell, acme: Firm) -> None:
    (webhook,) = (await acme.admin.get("/int/v1/webhooks")).json()["data"]
    dry = "--dry-run"
    assert await shell.said("--webhook", webhook["id"], dry) == ["3 deliveries match."]
    assert await shell.said("--event", "order.updated", dry) == ["0 deliveries match."]
    said = await shell.said("--event", "order.updated", "--event", "order.created", dry)
    assert said == ["3 deliveries match."]
    assert await shell.said("--state", "succeeded", dry) == ["0 deliveries match."]
    assert await shell.said("--until", "2026-01-15T12:00:00Z", dry) == ["0 deliveries match."]
    assert await shell.said("--company", acme.company.public_id, *YEAR, dry) == [
        "3 deliveries match."
    ]
    assert await states(office) == {"failed"}


@pytest.mark.slow
async def test_another_companys_deliveries_stay(office: Office, shell: Shell, rival: Firm) -> None:
    assert await shell.said("--company", "Rival", *YEAR, "--yes") == ["0 deliveries match."]
    assert await states(office) == {"failed"}
    (webhook,) = (await office.firm.admin.get("/int/v1/webhooks")).json()["data"]
    done = await shell.replay("--company", rival.company.name, "--webhook", webhook["id"], "--yes")
    assert isinstance(done.exception, NotFound)


async def test_without_a_filter_it_refuses(office: Office, shell: Shell) -> None:
    done = await shell.replay("--yes")
    assert isinstance(done.exception, Problem)
    assert "at least one" in str(done.exception)
    assert await states(office) == {"failed"}


async def test_a_moment_without_an_offset_is_refused(shell: Shell) -> None:
    for moment in ("2026-01-15T12:00:00", "yesterday"):
        done = await shell.replay("--since", moment, "--yes")
        assert done.exit_code == click.UsageError.exit_code
        assert "offset" in done.output


@pytest.mark.slow
@pytest.mark.usefixtures("office")
def test_the_real_program_says_it_in_a_sentence(shell: Shell, tmp_path: Path) -> None:
    done = program.run(tmp_path, "webhook", "replay", *YEAR, "--yes", **shell.settings)
    assert done.stdout.splitlines()[-1] == "Replayed 3 of 3."
    wrong = program.run(tmp_path, "webhook", "replay", "--yes", **shell.settings)
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("pannier: filter: ")
    assert wrong.stderr.count("\n") == 1
