"""`pannier restore`: restore a backup into an empty installation, or verify it."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from pannier.cli import access
from pannier.cli.backup import key_file_option, load_key
from pannier.db import embedded
from pannier.settings import Settings, load, load_secret

if TYPE_CHECKING:
    from pannier.backups.verification import Backup

RESTORED = (
    "The backup {name} is restored. The installation is silent: it sends nothing and works on "
    "nothing. Start it, look at it, then run `pannier resume`."
)


def parse_time(text: str | None) -> datetime | None:
    """Parse a time with or without an offset; without one, it is UTC."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(
            f"{text} is not a time. Write 2026-01-15T12:00 or 2026-01-15T12:00:00+01:00."
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


@click.command()
@access.data_option
@click.option("--from", "url", metavar="URL", required=True, help="Folder or bucket of backups.")
@click.option("--backup", "name", help="Name of the backup; the newest by default.")
@click.option("--at", metavar="TIME", help="The newest backup from this time or before it.")
@click.option("--check", is_flag=True, help="Verify the backup, and restore nothing.")
@key_file_option
@access.json_option
def restore(
    data: str | None,
    url: str,
    name: str | None,
    at: str | None,
    check: bool,
    key_file: Path | None,
    as_json: bool,
) -> None:
    """Restore a backup into an empty installation, or verify it.

    The target is the data directory, or the database of PANNIER_DATABASE_URL. It must be empty.
    First, the whole backup is read and compared with its checksums. The restored installation
    sends nothing until `pannier resume`.
    """
    from pannier.backups import restoring  # noqa: PLC0415 - loaded on demand
    from pannier.backups.destination import Destination  # noqa: PLC0415 - loaded on demand
    from pannier.backups.verification import verify  # noqa: PLC0415 - loaded on demand

    settings, moment = load_secret(load(data=data)), parse_time(at)
    key, destination = load_key(settings, key_file), Destination(url)

    async def find_and_verify() -> "Backup":
        backup = await restoring.find_backup(destination, key, name=name, at=moment)
        if not check:
            restoring.check_migrations(backup)
            restoring.choose_secrets(settings, backup)
        await verify(backup)
        return backup

    if not check:
        _check_existing_target(settings)
    backup = asyncio.run(find_and_verify())
    if not check:
        _restore(settings, backup)
    if as_json:
        result = {"name": backup.manifest.name, "rows": backup.manifest.rows, "restored": not check}
        click.echo(msgspec.json.encode(result))
    elif check:
        click.echo(f"The backup {backup.manifest.name} is complete and undamaged.")
    else:
        click.echo(RESTORED.format(name=backup.manifest.name))


def _check_existing_target(settings: Settings) -> None:
    """Refuse a target with data before the backup is read, which can take long."""
    from pannier.backups import restoring  # noqa: PLC0415 - loaded on demand

    if settings.database_url is not None or embedded.has_database(settings.folder):
        with access.serve_database(settings) as url:
            asyncio.run(restoring.check_target(url))


def _restore(settings: Settings, backup: "Backup") -> None:
    from pannier.backups import restoring  # noqa: PLC0415 - loaded on demand
    from pannier.files.storage import make_storage  # noqa: PLC0415 - loaded on demand

    settings = restoring.adopt_secrets(settings, backup)
    with access.serve_database(settings) as url:
        storage = make_storage(settings)
        asyncio.run(restoring.restore(settings, url, backup, storage))
