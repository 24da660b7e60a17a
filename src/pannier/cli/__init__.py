"""The command line. A command's module is imported only when the command runs."""

import sys
from collections.abc import Mapping, Sequence
from typing import Final

import click

from pannier.cli.groups import Group, LazyCommand
from pannier.errors import Problem, SetupError
from pannier.settings import SettingsError

# Expected errors print a sentence. Any other exception is a defect and shows its traceback.
EXPECTED_ERRORS = (Problem, SettingsError, SetupError)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pannier", prog_name="pannier", message="%(prog)s %(version)s")
def pannier() -> None:
    """Pannier: a logistics platform in one program."""


# Commands in the order of the help, each with the first sentence of its help. Each has a module of
# the same name.
COMMANDS: Final[Mapping[str, str]] = {
    "serve": "Start everything: database, API and worker.",
    "worker": "Run only the background worker, next to any number of `serve --api-only`.",
    "migrate": "Run pending database migrations.",
    "upgrade": "Say what an upgrade of the database will do, and do it.",
    "bootstrap": "Create the first company with its admin and keys.",
    "key": "Create, list, revoke and rotate keys.",
    "operator": "Create and list operators, and reset passwords.",
    "setting": "Read and change a company's settings.",
    "webhook": "Replay webhook deliveries.",
    "listen": "Receive a test company's webhook deliveries on this machine.",
    "customer": "Export or erase a customer's data.",
    "parked": "List and retry failed background work.",
    "sweep": "List and allow deletions of expired data that stopped.",
    "proofs": "Verify proofs of delivery.",
    "payments": "Reconcile payments with the gateway.",
    "map": "Build and choose street maps with road routing and address search.",
    "backup": "Back up the database and the files.",
    "restore": "Restore a backup into an empty installation, or verify it.",
    "resume": "Let a restored installation work and send again.",
    "secret": "Rotate the installation's secret.",
    "metrics": "Print the token for `/metrics`.",
    "messages": "List messages that no provider sent.",
    "doctor": "Check the installation; change nothing.",
    "version": "Print the version.",
}
for name, sentence in COMMANDS.items():
    pannier.add_command(LazyCommand(name, f"pannier.cli.{name}", sentence))
pannier.add_command(LazyCommand("api", "pannier.cli.api", "", hidden=True))


def main() -> None:
    """Run the command that this process was started with."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code. An expected error prints a sentence and returns 1."""
    try:
        _check_encoding(arguments)
        code = pannier.main(list(arguments), standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except EXPECTED_ERRORS as expected_error:
        click.echo(f"pannier: {expected_error}", err=True)
        return 1
    return code if isinstance(code, int) else 0


def _check_encoding(arguments: Sequence[str]) -> None:
    """Refuse arguments that are not valid UTF-8, which databases and terminals reject."""
    for word in arguments:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise click.UsageError(f"{word!a} is not valid UTF-8.") from None
