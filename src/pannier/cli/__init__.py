"""The command line: serve, worker, migrate, bootstrap, key, setting, webhook, secret, …."""

import sys

import click

from pannier.cli import commands, customer, doctor, keys, parked, secret, serve, setting, webhook
from pannier.db.embedded import EmbeddedError
from pannier.db.migrate import MigrationError
from pannier.errors import Problem
from pannier.installation import InstallationError
from pannier.settings import SettingsError

# What goes wrong outside of us is told in a sentence; anything else is a defect and shows itself.
TROUBLES = (EmbeddedError, InstallationError, MigrationError, Problem, SettingsError)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def pannier() -> None:
    """Pannier: a logistics platform in one program."""


for command in (
    serve.serve,
    serve.api,
    serve.worker,
    commands.migrate,
    commands.bootstrap,
    commands.messages,
    commands.version,
    keys.key,
    setting.setting,
    webhook.webhook,
    parked.parked,
    customer.customer,
    secret.secret,
    doctor.doctor,
):
    pannier.add_command(command)


def main() -> None:
    """Run a command; trouble is one clear sentence and exit code 1."""
    try:
        pannier.main(standalone_mode=False)
    except click.ClickException as wrong:
        wrong.show()
        sys.exit(wrong.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except TROUBLES as trouble:
        click.echo(f"pannier: {trouble}", err=True)
        sys.exit(1)
