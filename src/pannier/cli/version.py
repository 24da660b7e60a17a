"""`pannier version`."""

from importlib.metadata import version as installed_version

import click


@click.command()
def version() -> None:
    """Print the version."""
    click.echo(f"pannier {installed_version('pannier')}")
