"""`pannier metrics`: print the token that Prometheus needs."""

import click

from pannier import installation
from pannier.cli import access
from pannier.cli.groups import Group
from pannier.web.metrics import make_token


@click.group(cls=Group)
def metrics() -> None:
    """Print the token for `/metrics`."""


@metrics.command("token")
@access.data_option
def print_token(data: str | None) -> None:
    """Print the bearer token of `/metrics`.

    It is derived from the installation's secret, so every machine has the same one. Raise
    PANNIER_METRICS_TOKEN_VERSION to revoke it.
    """
    settings = access.load_existing_settings(data)
    click.echo(make_token(installation.make_keyring(settings), settings.metrics_token_version))
