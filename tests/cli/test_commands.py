"""Commands say what they did, or in one sentence what is wrong."""

import asyncio
import os
import pty
import socket
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import httpx
import pytest

import copier
import program
import stage
from cli import shell
from pannier.cli import pannier

pytestmark = pytest.mark.slow


def run(tmp_path: Path, url: str, *words: str) -> subprocess.CompletedProcess[str]:
    return shell.run(tmp_path, *words, database_url=url)


def answer(tmp_path: Path, url: str, *words: str) -> Any:
    return shell.answer(tmp_path, *words, database_url=url)


def one_sentence(done: subprocess.CompletedProcess[str]) -> str:
    """Check that a command failed with one clear sentence, and answer it."""
    assert done.returncode != 0
    assert done.stderr.startswith("pannier: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_bootstrap_founds_the_first_company_once(tmp_path: Path, empty_url: str) -> None:
    first = answer(tmp_path, empty_url, "bootstrap", "--json")
    assert set(first) == {
        "company", "api_key", "storefront_key", "app_key",
        "operator_email", "operator_password", "operator_token",
    }  # fmt: skip
    assert first["api_key"].startswith("api_live_")
    assert first["storefront_key"].startswith("store_live_")
    assert first["app_key"].startswith("app_live_")
    assert first["operator_token"].startswith("opr_live_")

    again = answer(tmp_path, empty_url, "bootstrap", "--json")
    assert again["status"] == "done_already"
    assert "already" in run(tmp_path, empty_url, "bootstrap").stdout

    another = answer(
        tmp_path, empty_url, "bootstrap", "--json", "--another", "Beta", "--mode", "test"
    )
    assert another["company"] != first["company"]
    assert another["api_key"].startswith("api_test_")


def test_a_further_company_is_not_founded_where_there_is_no_installation(tmp_path: Path) -> None:
    told = shell.run(tmp_path, "bootstrap", "--another", "Beta")
    assert told.returncode == 1
    assert "There is no installation in" in told.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_further_company_is_not_founded_in_an_empty_database(
    tmp_path: Path, empty_url: str
) -> None:
    told = run(tmp_path, empty_url, "bootstrap", "--another", "Beta")
    assert told.returncode == 1
    run(tmp_path, empty_url, "migrate")
    sentence = one_sentence(run(tmp_path, empty_url, "bootstrap", "--another", "Beta"))
    assert "There is no company in this database yet." in sentence
    first = answer(tmp_path, empty_url, "bootstrap", "--json")
    assert first["api_key"].startswith("api_live_")


def test_two_bootstraps_at_once_found_one_company(tmp_path: Path, migrated_url: str) -> None:
    with ThreadPoolExecutor(2) as threads:
        done = list(
            threads.map(
                lambda _: program.answer(
                    tmp_path, "bootstrap", "--json", database_url=migrated_url
                ),
                range(2),
            )
        )
    assert len([one for one in done if "api_key" in one]) == 1


def test_keys_are_issued_listed_rotated_and_revoked_from_the_shell(
    tmp_path: Path, migrated_url: str
) -> None:
    assert "bootstrap" in one_sentence(run(tmp_path, migrated_url, "key", "new"))
    answer(tmp_path, migrated_url, "bootstrap", "--json")
    made = answer(
        tmp_path, migrated_url, "key", "new", "--name", "Shop", "--scope", "files:read", "--json"
    )
    assert made["key"].startswith("api_live_")
    successor = answer(tmp_path, migrated_url, "key", "rotate", made["id"], "--json")
    assert successor["key"] != made["key"]
    assert run(tmp_path, migrated_url, "key", "revoke", successor["id"]).returncode == 0
    listed = {row["id"]: row for row in answer(tmp_path, migrated_url, "key", "list", "--json")}
    assert listed[made["id"]]["replaced_by"] == listed[successor["id"]]["uuid"]
    assert listed[successor["id"]]["revoked_at"] is not None
    assert listed[made["id"]]["scopes"] == ["files:read"]
    assert "Company not found" in one_sentence(
        run(tmp_path, migrated_url, "key", "list", "--company", "X")
    )
    assert "scopes" in one_sentence(
        run(tmp_path, migrated_url, "key", "new", "--scope", "nonsense")
    )


def test_with_several_companies_a_command_asks_which(tmp_path: Path, migrated_url: str) -> None:
    first = answer(tmp_path, migrated_url, "bootstrap", "--json")
    answer(tmp_path, migrated_url, "bootstrap", "--json", "--another", "Beta")
    assert first["company"] in one_sentence(run(tmp_path, migrated_url, "key", "list"))
    assert run(tmp_path, migrated_url, "key", "list", "--company", "Beta").returncode == 0


def test_the_doctor_finds_a_healthy_house_healthy(tmp_path: Path, empty_url: str) -> None:
    sick = run(tmp_path, empty_url, "doctor")
    assert sick.returncode == 1
    assert "Run `pannier migrate`" in sick.stdout
    assert run(tmp_path, empty_url, "migrate").returncode == 0
    well = run(tmp_path, empty_url, "doctor")
    assert well.returncode == 0, well.stdout
    for word in ("configuration", "disk", "database", "migrations", "secret", "clock", "news"):
        assert word in well.stdout
    assert "All device events are processed." in well.stdout


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_in_another_encoding_is_refused(
    tmp_path: Path, server_url: str, encoding: str
) -> None:
    name = f"encoded_{os.getpid()}"
    options = f"encoding '{encoding}' locale 'C' template template0"
    asyncio.run(stage.admin(server_url, f"create database {name} {options}"))
    try:
        url = stage.sibling(server_url, name)
        refused = one_sentence(run(tmp_path, url, "migrate"))
        sentence = f"The database's encoding is {encoding}, but Pannier needs UTF8."
        assert sentence in refused
        sick = run(tmp_path, url, "doctor")
        assert sick.returncode == 1
        assert "WRONG  database" in sick.stdout
        assert sentence in sick.stdout
    finally:
        asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


def test_the_doctor_says_what_is_wrong(tmp_path: Path, migrated_url: str) -> None:
    answer(tmp_path, migrated_url, "bootstrap", "--json")
    (tmp_path / "secret").write_text("another secret, which is long enough to be one")
    sick = run(tmp_path, migrated_url, "doctor")
    assert sick.returncode == 1
    assert "WRONG  secret" in sick.stdout
    away = run(tmp_path, "postgresql://nobody@127.0.0.1:1/none", "doctor")
    assert away.returncode == 1
    assert "WRONG  database" in away.stdout


def test_a_wrong_database_address_is_one_sentence(tmp_path: Path) -> None:
    for address in (
        "postgresql://nobody@127.0.0.1:1/none",
        "nonsense://",
        "postgresql://nobody@127.0.0.1:notaport/none",
    ):
        said = one_sentence(run(tmp_path, address, "serve", "--port", str(program.free_port())))
        assert "database" in said


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = one_sentence(shell.run(tmp_path, "serve", "--port", port))
    assert f"port {port}" in said
    assert "in use" in said


def test_a_data_directory_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    said = one_sentence(shell.run(file / "data", "serve", "--port", str(program.free_port())))
    assert "data directory" in said
    said = one_sentence(shell.run(Path("/proc/nowhere"), "migrate"))
    assert "data directory" in said


def test_a_wrong_setting_is_one_sentence(tmp_path: Path) -> None:
    said = one_sentence(shell.run(tmp_path, "migrate", pool_size="many"))
    assert "PANNIER_POOL_SIZE" in said
    assert "PANNIER_SECRET" in one_sentence(shell.run(tmp_path, "migrate", secret="short"))


def test_another_secret_than_the_databases_own_is_refused(
    tmp_path: Path, migrated_url: str
) -> None:
    answer(tmp_path, migrated_url, "bootstrap", "--json")
    other = tmp_path / "other"
    other.mkdir()
    assert "PANNIER_SECRET" in one_sentence(run(other, migrated_url, "bootstrap"))


def test_the_secret_is_made_once_and_readable_by_its_owner_alone(
    tmp_path: Path, empty_url: str
) -> None:
    run(tmp_path, empty_url, "migrate")
    file = tmp_path / "secret"
    first = file.read_text()
    run(tmp_path, empty_url, "migrate")
    assert file.read_text() == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_version_is_told(tmp_path: Path) -> None:
    told = program.run(tmp_path, "version").stdout
    assert told.startswith("pannier 0.")
    assert shell.run(tmp_path, "--version").stdout == told


def test_settings_are_listed_read_set_and_unset_from_the_shell(
    tmp_path: Path, migrated_url: str
) -> None:
    answer(tmp_path, migrated_url, "bootstrap", "--json")
    changed = answer(tmp_path, migrated_url, "setting", "set", "country", "sg", "--json")
    assert (changed["country"], changed["given"]) == ("SG", ["country"])
    assert run(tmp_path, migrated_url, "setting", "get", "country").stdout == "SG\n"

    said = run(tmp_path, migrated_url, "setting", "set", "codes.countries", "SG, MY").stdout
    assert said == "codes.countries = MY, SG\n"
    assert answer(tmp_path, migrated_url, "setting", "set", "codes.sends_per_hour", "3", "--json")
    assert answer(tmp_path, migrated_url, "setting", "get", "codes.sends_per_hour", "--json") == 3

    listed = run(tmp_path, migrated_url, "setting", "list").stdout.splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in listed}
    assert rows["country"] == ["SG", "set"]
    assert rows["codes.sends_per_hour"] == ["3", "set"]
    assert rows["time_zone"] == ["UTC", "default"]
    assert rows["currency"] == ["-", "default"]

    said = run(tmp_path, migrated_url, "setting", "unset", "codes.sends_per_hour").stdout
    assert said == "codes.sends_per_hour = 5\n"
    assert answer(tmp_path, migrated_url, "setting", "list", "--json")["given"] == [
        "country",
        "codes.countries",
    ]


def test_a_setting_that_cannot_be_is_refused_in_a_sentence(
    tmp_path: Path, migrated_url: str
) -> None:
    answer(tmp_path, migrated_url, "bootstrap", "--json")
    wrong = one_sentence(run(tmp_path, migrated_url, "setting", "set", "country", "XX"))
    assert "country: must be a country code" in wrong
    wrong = one_sentence(run(tmp_path, migrated_url, "setting", "set", "quote_life", "soon"))
    assert "quote_life: " in wrong
    wrong = one_sentence(run(tmp_path, migrated_url, "setting", "set", "retention.events", "1000"))
    assert "retention.events: must be at most 90 days" in wrong
    unknown = run(tmp_path, migrated_url, "setting", "get", "colour")
    assert unknown.returncode != 0
    assert "Unknown setting colour." in unknown.stderr
    assert "branding.color" in unknown.stderr


def test_parked_work_is_shown_and_tried_again_from_the_shell(
    tmp_path: Path, migrated_url: str
) -> None:
    run(tmp_path, migrated_url, "bootstrap")
    assert run(tmp_path, migrated_url, "parked", "list").stderr == "No failed work.\n"
    asyncio.run(
        stage.admin(
            migrated_url,
            """insert into parked (uuid, public_id, company, created_at, updated_at, step, subject,
                                   subject_uuid, error, attempts)
               select gen_random_uuid(), 'parked_1', uuid, created_at, created_at,
                      'scheduled orders', 'order_1', gen_random_uuid(), 'Out of order.', 7
               from companies""",
        )
    )
    shown = run(tmp_path, migrated_url, "parked", "list").stdout
    assert shown == "parked_1  scheduled orders  order_1  manual    Out of order.\n"
    done = run(tmp_path, migrated_url, "parked", "retry").stdout
    assert done == "Retrying 1 job.\n"
    assert answer(tmp_path, migrated_url, "parked", "retry", "--json") == {"retried": 1}
    [row] = answer(tmp_path, migrated_url, "parked", "list", "--json")
    assert row["retry_at"] is not None


READING = (
    ("messages",),
    ("key", "list"),
    ("operator", "list"),
    ("setting", "list"),
    ("setting", "get", "country"),
    ("key", "new"),
    ("webhook", "replay"),
    ("doctor",),
)


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_in_a_wrong_folder_a_command_says_so_and_makes_nothing(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    nowhere = tmp_path / "nowhere"
    done = shell.run(nowhere, *words)
    assert done.returncode == 1
    assert f"There is no installation in {nowhere}." in done.stdout + done.stderr
    assert not nowhere.exists()


def test_a_command_leaves_a_database_as_it_is_that_is_not_up_to_date(
    tmp_path: Path, empty_url: str
) -> None:
    settings = {"database_url": empty_url, "secret": stage.SECRET}
    said = one_sentence(shell.run(tmp_path, "key", "list", **settings))
    assert "Run `pannier migrate` first" in said
    count = "select count(*) from pg_tables where schemaname = 'public'"
    assert asyncio.run(stage.value(empty_url, count)) == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated")  # by what Apprise imports
def test_the_doctor_judges_settings_as_serve_does(tmp_path: Path, migrated_url: str) -> None:
    run(tmp_path, migrated_url, "migrate")  # makes the secret
    for name, value in {
        "base_url": "notaurl",
        "trusted_proxies": "nonsense",
        "sms_url": "twillio://x",
        "files_url": "ftp://x",
        "ca_bundle": "/nowhere.pem",
        "webhook_ca_bundle": __file__,
        "webhook_allow_networks": "10.0.0.0/99",
        "mqtt_url": "http://broker",
        "nats_url": "nats://one, nats://two:0",
    }.items():
        wrong = {"database_url": migrated_url, name: value}
        refused = one_sentence(shell.run(tmp_path, "serve", **wrong)).removeprefix("pannier: ")
        assert f"PANNIER_{name.upper()} is invalid: " in refused
        seen = shell.run(tmp_path, "doctor", **wrong)
        assert seen.returncode == 1
        assert f"WRONG  configuration  {refused}" in seen.stdout
        assert one_sentence(shell.run(tmp_path, "worker", **wrong)) == f"pannier: {refused}"


def test_the_doctor_says_whom_a_test_gateway_serves(tmp_path: Path, migrated_url: str) -> None:
    run(tmp_path, migrated_url, "migrate")  # makes the secret
    fake = {"database_url": migrated_url, "payments": "fake"}
    seen = shell.run(tmp_path, "doctor", **fake)
    assert "note   configuration  The payment gateway is a test gateway. Live" in (seen.stdout)
    seen = shell.run(tmp_path, "doctor", **fake, test_payments_on_live="true")
    assert "orders count as paid without any payment" in seen.stdout
    assert seen.returncode == 0


def test_the_doctor_names_variables_that_are_no_settings(tmp_path: Path, migrated_url: str) -> None:
    run(tmp_path, migrated_url, "migrate")  # makes the secret
    seen = shell.run(tmp_path, "doctor", database_url=migrated_url, databse_url="x", colour="red")
    assert seen.returncode == 0
    assert "Unknown setting PANNIER_DATABSE_URL; did you mean PANNIER_DATABASE_URL?" in (
        seen.stdout
    )
    assert "Unknown setting PANNIER_COLOUR; see docs/settings.md." in seen.stdout
    found = shell.answer(tmp_path, "doctor", "--json", database_url=migrated_url)
    assert isinstance(found, list)
    assert {row["verdict"] for row in found} == {"ok"}


def test_operators_are_taken_in_listed_and_helped_from_the_shell(
    tmp_path: Path, migrated_url: str
) -> None:
    first = answer(tmp_path, migrated_url, "bootstrap", "--json")
    made = answer(
        tmp_path, migrated_url, "operator", "new", "ada@example.com", "--role", "billing", "--json"
    )
    listed = answer(tmp_path, migrated_url, "operator", "list", "--json")
    assert [(row["email"], row["role"]) for row in listed] == [
        ("ada@example.com", "billing"),
        (first["operator_email"], "admin"),
    ]
    again = answer(
        tmp_path, migrated_url, "operator", "reset-password", "Ada@Example.com", "--json"
    )
    assert again["id"] == made["id"]
    assert again["password"] != made["password"]
    taken = run(tmp_path, migrated_url, "operator", "new", "ada@example.com")
    assert "has this email address" in one_sentence(taken)
    nobody = run(tmp_path, migrated_url, "operator", "reset-password", "nobody@example.com")
    assert one_sentence(nobody)


# Commands that print nothing for a program to read, and why.
WORDLESS = {
    "serve": "it goes on, and logs JSON",
    "worker": "it goes on, and logs JSON",
    "customer export": "it writes a file, or JSON by --format",
    "webhook replay": "it says how many",
    "sweep allow": "it says one word; `sweep list --json` has the state",
    "secret rotate": "a person does it, step by step",
    "version": "it is one word",
    "map setup": "it shows progress, and its exit code says the rest",
    "map build": "it shows progress; `map list --json` describes the city",
    "map use": "it says one word; `map list --json` has the state",
    "map remove": "it says one word; `map list --json` has the state",
    "metrics token": "it is one word",
    "api": "what it answers is JSON",
}


def commands(command: click.Command, *words: str) -> Iterator[tuple[str, click.Command]]:
    """Name every command there is."""
    if not isinstance(command, click.Group):
        yield " ".join(words), command
        return
    context = click.Context(command)
    for word in command.list_commands(context):
        found = command.get_command(context, word)
        assert found is not None
        yield from commands(found, *words, word)


def test_every_command_has_json_for_a_program_or_says_why_not() -> None:
    wordless = {
        name
        for name, command in commands(pannier)
        if not any("--json" in option.opts for option in command.params)
    }
    assert wordless <= WORDLESS.keys()


def test_messages_are_a_table_in_which_nobody_speaks_to_the_terminal(
    tmp_path: Path, migrated_url: str
) -> None:
    run(tmp_path, migrated_url, "bootstrap")
    asyncio.run(
        stage.admin(
            migrated_url,
            """insert into messages (uuid, public_id, company, channel, recipient, subject, body,
                                     secret, state, created_at, due_at)
               select gen_random_uuid(), 'message_1', uuid, 'sms', '+6591234567', '',
                      E'Hello \\x1b[31mred\\nand below', false, 'drawer', created_at, created_at
               from companies""",
        )
    )
    header, row = on_a_terminal(tmp_path, migrated_url, "messages")
    assert [word for word in ("TIME", "CHANNEL", "TO", "TEXT") if word in header] == [
        "TIME", "CHANNEL", "TO", "TEXT",
    ]  # fmt: skip
    assert row.endswith("sms      +6591234567  Hello  [31mred and below")


def test_a_list_has_a_header_on_a_terminal_alone(tmp_path: Path, migrated_url: str) -> None:
    answer(tmp_path, migrated_url, "bootstrap", "--json")
    assert "LAST USED" not in run(tmp_path, migrated_url, "key", "list").stdout
    header, *rows = on_a_terminal(tmp_path, migrated_url, "key", "list")
    assert [word for word in ("KIND", "STATE", "LAST USED", "SCOPES") if word in header] == [
        "KIND", "STATE", "LAST USED", "SCOPES",
    ]  # fmt: skip
    assert len(rows) == 3
    assert all("never" in row for row in rows)


def on_a_terminal(tmp_path: Path, url: str, *words: str) -> list[str]:
    """Run a command on a terminal, and read its lines."""
    ours, theirs = pty.openpty()
    environment = program.environment(tmp_path, database_url=url)
    running = copier.start([*program.WORDS, *words], env=environment, stdout=theirs)
    with program.ending(running):
        code = running.wait(program.PATIENCE)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)
    assert code == 0
    return shown.splitlines()


def test_a_worker_waits_for_the_database_and_shows_how_it_is(
    tmp_path: Path, server_url: str
) -> None:
    name, port = f"late_{os.getpid()}", program.free_port()
    asyncio.run(stage.admin(server_url, f"create database {name} allow_connections false"))
    process = copier.start(
        [*program.WORDS, "worker"],
        env=program.environment(
            tmp_path, database_url=stage.sibling(server_url, name), worker_port=str(port)
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with program.ending(process) as worker:
        assert worker.stdout is not None
        assert worker.stderr is not None
        assert "waiting for the database" in worker.stderr.readline()
        assert httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=program.PATIENCE).json() == {
            "status": "ok"
        }
        asyncio.run(stage.admin(server_url, f"alter database {name} allow_connections true"))
        assert worker.stdout.readline() == "The worker has started. Press Ctrl-C to stop.\n"
        scraped = f"http://127.0.0.1:{port}/metrics"
        anybody = httpx.get(scraped, timeout=program.PATIENCE)
        assert (anybody.status_code, anybody.json()["code"]) == (401, "unauthenticated")
        shown = shell.run(
            tmp_path, "metrics", "token", database_url=stage.sibling(server_url, name)
        )
        token = {"Authorization": f"Bearer {shown.stdout.strip()}"}
        counted = httpx.get(scraped, headers=token, timeout=program.PATIENCE).text
        assert 'pannier_webhook_deliveries_waiting{state="pending"} 0.0' in counted
        worker.terminate()
        assert worker.wait(program.PATIENCE) == 0
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


def test_a_worker_that_waits_for_the_database_stops_when_it_is_told_to(tmp_path: Path) -> None:
    away = f"postgresql://nobody@127.0.0.1:{program.free_port()}/none"
    process = copier.start(
        [*program.WORDS, "worker"],
        env=program.environment(tmp_path, database_url=away),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with program.ending(process) as worker:
        assert worker.stderr is not None
        assert "waiting for the database" in worker.stderr.readline()
        worker.terminate()
        assert worker.wait(program.PATIENCE) == 0
