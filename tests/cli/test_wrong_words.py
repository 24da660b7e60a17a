"""Whatever is written behind a command, it works or says in a sentence why not."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import stage
from cli import shell
from pannier import cli
from pannier.db import Database

# Of every kind of mistake one; for a number, a name, a time, an address or a path.
ODD = ("", "-1", "9" * 20, "🚲 '\"\\ %s", "\udcff", "x" * 3000)
# `serve` and `listen` would go on if everything were right, so the database never is; `worker`
# has the options of all others, but logs from the beginning.
RUNNING = {"serve", "listen"}
AWAY = "nonsense://nowhere"


def commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """List all commands that people can see, those of groups by their path."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        elif not command.hidden:
            yield (*path, name), command


def wrong_lines(path: tuple[str, ...], command: click.Command) -> Iterator[list[str]]:
    """Write a command with one odd value, once for each value and each place for one."""
    arguments = [each for each in command.params if isinstance(each, click.Argument)]
    options = [each for each in command.params if isinstance(each, click.Option)]
    plain = ["nobody"] * len(arguments)
    yield [*path, "--nonsense"]
    yield [*path, *plain, "one", "too", "many"]
    for odd in ODD:
        for option in options:
            if not option.is_flag:
                yield [*path, option.opts[0], odd, *plain]
        for place in range(len(arguments)):
            yield [*path, "--", *plain[:place], odd, *plain[place + 1 :]]


ALL = {path: command for path, command in commands(cli.pannier) if path != ("worker",)}


@pytest.fixture
def settings(database: Database, database_url: str) -> dict[str, str]:
    """Settings of an installation in which commands find an empty database."""
    assert database
    return {"database_url": database_url, "secret": stage.SECRET}


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_no_wrong_value_shows_a_traceback(
    path: tuple[str, ...], settings: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if path[0] in RUNNING:
        settings["database_url"] = AWAY
    for line in wrong_lines(path, ALL[path]):
        done = shell.run(tmp_path, *line, **settings)
        assert done.returncode in {0, 1, 2}, line
        assert done.returncode == 0 or done.stderr or path == ("doctor",), line
        assert "Traceback" not in done.stdout + done.stderr
        assert "Expected `" not in done.stderr, (line, done.stderr)


def test_every_command_is_listed_with_its_own_first_sentence(tmp_path: Path) -> None:
    for name, stand_in in cli.pannier.commands.items():
        if not stand_in.hidden:
            command = cli.pannier.get_command(click.Context(cli.pannier), name)
            assert command is not None
            assert command.help is not None
            assert stand_in.help == command.help.partition("\n")[0]
    shown = shell.run(tmp_path, "key", "--help").stdout
    assert "Replace a key. Both work until the overlap ends." in shown
    assert "..." not in shown.partition("Commands:")[2]


def test_no_operator_stays_signed_in_for_longer_than_a_month(tmp_path: Path) -> None:
    done = shell.run(tmp_path, "serve", session_hours="721")
    assert done.stderr == (
        "pannier: PANNIER_SESSION_HOURS is invalid: use a whole number from 1 to 720.\n"
    )


def test_what_is_given_has_the_bounds_of_the_api(settings: dict[str, str], tmp_path: Path) -> None:
    for line, said in (
        (["messages", "--limit", "-1"], "-1 is not in the range 1<=x<=1000"),
        (["serve", "--workers", "0"], "0 is not in the range"),
        (["serve", "--port", "70000"], "70000 is not in the range"),
        (
            ["key", "rotate", "key_x", "--overlap", "100000000000"],
            "overlap_seconds: must be between 0 and 7,776,000.",
        ),
        (
            ["key", "rotate", "key_x", "--overlap", "-5"],
            "overlap_seconds: must be between 0 and 7,776,000.",
        ),
        (["key", "new", "--name", ""], "name: must not be empty."),
        (["setting", "set", "quote_life", "soon"], "No company yet"),
    ):
        done = shell.run(tmp_path, *line, **settings)
        assert done.returncode in {1, 2}
        assert said in done.stderr, line
