"""`pannier secret`: rotate the installation's secret without downtime."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import click
import msgspec

from pannier import rotation
from pannier.cli import access
from pannier.cli.groups import Group
from pannier.db.embedded.lock import hold_lock
from pannier.installation import InstallationError
from pannier.settings import Settings, load, make_secret, replace_secret

LOCK_FILE = "secret.lock"
SET_BY_VARIABLE = (
    "The secret comes from PANNIER_SECRET, so set the new one yourself: put the current "
    "one into PANNIER_OLD_SECRETS, a new one into PANNIER_SECRET (`python3 -c 'import secrets; "
    "print(secrets.token_urlsafe(48))'`), restart every process, and run this again."
)
RESTART_NEEDED = (
    "The new secret is stored, but some processes still use the old one. Restart "
    "`pannier serve` and every `pannier worker`, then run `pannier secret rotate` again to "
    "finish."
)
ALREADY_RUNNING = "Another `pannier secret rotate` is running. Wait for it to finish."


@click.group(cls=Group)
def secret() -> None:
    """Rotate the installation's secret."""


@secret.command("rotate")
@access.data_option
@access.json_option
def rotate_secret(data: str | None, as_json: bool) -> None:
    """Rotate the secret. Data signed or encrypted with the old one stays valid.

    Run it again when it was interrupted, or when it asks for a restart in between.
    """
    with _lock_rotation(access.load_existing_settings(data)):
        settings = access.load_existing_settings(data)
        with access.serve_database(settings) as url:
            if not asyncio.run(_is_rotating(settings, url)):
                settings = _store_new_secret(data, settings)
            sealed_count = asyncio.run(_finish_rotation(settings, url))
    click.echo(_render_result(sealed_count, as_json=as_json))


def _render_result(sealed_count: int | None, *, as_json: bool) -> str:
    """Describe the result: the number of sealed rows, or that a restart is needed first."""
    if as_json:
        return msgspec.json.encode(
            {"finished": sealed_count is not None, "sealed": sealed_count}
        ).decode()
    if sealed_count is None:
        return RESTART_NEEDED
    return f"The new secret is in use. Re-encrypted rows: {sealed_count}."


@contextmanager
def _lock_rotation(settings: Settings) -> Iterator[None]:
    """Prevent concurrent rotations, which could lose a secret that is still needed."""
    if not settings.folder.exists():
        yield
        return
    try:
        with hold_lock(settings.folder / LOCK_FILE, wait=False):
            yield
    except BlockingIOError:
        raise InstallationError(ALREADY_RUNNING) from None


def _store_new_secret(data: str | None, settings: Settings) -> Settings:
    """Put a new secret into the file, in front of the old ones."""
    if load(data=data).secret is not None:
        raise InstallationError(SET_BY_VARIABLE)
    replace_secret(settings.folder, make_secret())
    return access.load_existing_settings(data)


async def _is_rotating(settings: Settings, url: str) -> bool:
    database = await access.open_current_database(settings, url)
    try:
        return await rotation.is_in_progress(database)
    finally:
        await database.close()


async def _finish_rotation(settings: Settings, url: str) -> int | None:
    """Reseal data with the new secret. Return None while a worker uses an old one."""
    database = await access.open_current_database(settings, url)
    try:
        return (
            None
            if await rotation.count_outdated_workers(database)
            else await rotation.finish_rotation(database)
        )
    finally:
        await database.close()
