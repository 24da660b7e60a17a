"""`pannier secret`: another secret for the installation, while everything goes on."""

import asyncio
from datetime import UTC, datetime

import click

from pannier import rotation
from pannier.cli import attach
from pannier.cli.groups import Group
from pannier.db import Database
from pannier.installation import InstallationError
from pannier.settings import SECRET_FILE, Settings, load, new_secret, replace_secret

BY_VARIABLE = (
    "The secret is the variable PANNIER_SECRET, so the new one is yours to set: put the present "
    "one into PANNIER_OLD_SECRETS, a new one into PANNIER_SECRET (`python3 -c 'import secrets; "
    "print(secrets.token_urlsafe(48))'`), start every process anew, and run this again."
)
RESTART = (
    "The new secret stands in {path}, with the old one below it. Start `pannier serve` (and every "
    "`pannier worker`) anew, then run `pannier secret rotate` again to finish."
)


@click.group(cls=Group)
def secret() -> None:
    """Change the installation's secret."""


@secret.command("rotate")
@attach.data_option
def rotate(data: str | None) -> None:
    """Take a new secret; what the old one signed and sealed stays good.

    Run it again when it was interrupted, or when it asks for a restart in between.
    """
    settings = attach.existing(data)
    with attach.database_url(settings) as url:
        if not asyncio.run(_under_way(settings, url)):
            settings = _begun(data, settings)
        click.echo(asyncio.run(_finished(settings, url)))


def _begun(data: str | None, settings: Settings) -> Settings:
    """Put a new secret into the file, before the others."""
    if load(data=data).secret is not None:
        raise InstallationError(BY_VARIABLE)
    replace_secret(settings.folder, new_secret())
    return attach.existing(data)


async def _under_way(settings: Settings, url: str) -> bool:
    database = await attach.found_as_is(settings, url)
    try:
        return await rotation.under_way(database)
    finally:
        await database.close()


async def _finished(settings: Settings, url: str) -> str:
    database = await attach.found_as_is(settings, url)
    try:
        if await _ignorant(database, settings):
            return RESTART.format(path=settings.folder / SECRET_FILE)
        count = await rotation.finish(database)
        return f"The new secret is in use; {count} rows were sealed anew."
    finally:
        await database.close()


async def _ignorant(database: Database, settings: Settings) -> bool:
    """Tell whether somebody is at work who does not know the new secret yet."""
    path = settings.folder / SECRET_FILE
    if not path.exists():
        return False
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return await rotation.started_before(database, written) > 0
