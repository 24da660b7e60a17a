"""`pannier secret`: rotate the installation's secret without downtime."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import click
import msgspec

from pannier import rotation
from pannier.cli import attach
from pannier.cli.groups import Group
from pannier.db.embedded.lock import locked
from pannier.installation import InstallationError
from pannier.settings import Settings, load, new_secret, replace_secret

LOCK = "secret.lock"
BY_VARIABLE = (
    "The secret comes from PANNIER_SECRET, so set the new one yourself: put the current "
    "one into PANNIER_OLD_SECRETS, a new one into PANNIER_SECRET (`python3 -c 'import secrets; "
    "print(secrets.token_urlsafe(48))'`), restart every process, and run this again."
)
RESTART = (
    "The new secret is stored, but some processes still use the old one. Restart "
    "`pannier serve` and every `pannier worker`, then run `pannier secret rotate` again to "
    "finish."
)
TWICE = "Another `pannier secret rotate` is running. Wait for it to finish."


@click.group(cls=Group)
def secret() -> None:
    """Rotate the installation's secret."""


@secret.command("rotate")
@attach.data_option
@attach.json_option
def rotate(data: str | None, as_json: bool) -> None:
    """Rotate the secret. Data signed or encrypted with the old one stays valid.

    Run it again when it was interrupted, or when it asks for a restart in between.
    """
    with _alone(attach.existing(data)):
        settings = attach.existing(data)
        with attach.database_url(settings) as url:
            if not asyncio.run(_under_way(settings, url)):
                settings = _begun(data, settings)
            sealed = asyncio.run(_finished(settings, url))
    click.echo(_told(sealed, as_json=as_json))


def _told(sealed: int | None, *, as_json: bool) -> str:
    """Describe the result: the number of sealed rows, or that a restart is needed first."""
    if as_json:
        return msgspec.json.encode({"finished": sealed is not None, "sealed": sealed}).decode()
    if sealed is None:
        return RESTART
    return f"The new secret is in use. Re-encrypted rows: {sealed}."


@contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """Prevent concurrent rotations, which could lose a secret that sealed data."""
    if not settings.folder.exists():
        yield
        return
    try:
        with locked(settings.folder / LOCK, wait=False):
            yield
    except BlockingIOError:
        raise InstallationError(TWICE) from None


def _begun(data: str | None, settings: Settings) -> Settings:
    """Put a new secret into the file, in front of the old ones."""
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


async def _finished(settings: Settings, url: str) -> int | None:
    """Seal data again that an old secret sealed; None while a process uses the old secret."""
    database = await attach.found_as_is(settings, url)
    try:
        return None if await rotation.behind(database) else await rotation.finish(database)
    finally:
        await database.close()
