"""The command line. What a command needs is imported when it is asked for."""

import sys
from collections.abc import Mapping, Sequence
from typing import Final

import click

from pannier.cli.groups import Group, Later
from pannier.errors import Problem, TroubleError
from pannier.settings import SettingsError

# What goes wrong outside of us is told in a sentence; anything else is a defect and shows itself.
TROUBLES = (Problem, SettingsError, TroubleError)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pannier", prog_name="pannier", message="%(prog)s %(version)s")
def pannier() -> None:
    """Pannier: a logistics platform in one program."""


# In the order in which they are listed, each with its first sentence; the module has its name.
COMMANDS: Final[Mapping[str, str]] = {
    "serve": "Start everything: database, API and worker.",
    "worker": "Run the background work alone, beside any number of `serve --api-only`.",
    "migrate": "Bring the database up to date.",
    "bootstrap": "Create the first company, its admin and its keys, and show them once.",
    "key": "Issue, list, revoke and rotate keys.",
    "operator": "Take operators in, list them, and give one a new password.",
    "setting": "Read and change a company's settings.",
    "webhook": "Replay what webhooks did not get.",
    "listen": "Receive, verify and show a test company's webhook deliveries on this machine.",
    "customer": "Take away what is kept of a customer, or have it forgotten.",
    "parked": "See what the worker failed at, and have it tried again.",
    "proofs": "Check all proofs of delivery: none changed, and none missing.",
    "payments": "Compare what the payment gateway has taken with what we know of it.",
    "secret": "Change the installation's secret.",
    "metrics": "Print the token with which Prometheus reads `/metrics`.",
    "messages": "Read the development drawer, newest first.",
    "doctor": "Look at everything that a running installation needs; nothing is changed.",
    "version": "Print the version.",
}
for name, sentence in COMMANDS.items():
    pannier.add_command(Later(name, f"pannier.cli.{name}", sentence))
pannier.add_command(Later("api", "pannier.cli.api", "", hidden=True))


def main() -> None:
    """Run the command that this process was started with."""
    sys.exit(run(sys.argv[1:]))


def run(words: Sequence[str]) -> int:
    """Run a command, and answer its exit code; trouble is one clear sentence and code 1."""
    try:
        _check_spelling(words)
        code = pannier.main(list(words), standalone_mode=False)
    except click.ClickException as wrong:
        wrong.show()
        return wrong.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 130
    except TROUBLES as trouble:
        click.echo(f"pannier: {trouble}", err=True)
        return 1
    return code if isinstance(code, int) else 0


def _check_spelling(words: Sequence[str]) -> None:
    """Refuse what no database and no terminal could spell."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise click.UsageError(f"{word!a} is no text; write it in UTF-8.") from None
