"""`pannier backup`: back up the database and the files."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from pannier.backups.errors import BackupError
from pannier.cli import access
from pannier.db import Database
from pannier.settings import Settings

if TYPE_CHECKING:
    from pannier.backups.encryption import BackupKey
    from pannier.backups.manifest import Manifest

NO_DESTINATION = "Set the destination with --to or PANNIER_BACKUP_URL."
NO_SECRET_NOTE = (
    "The backup does not contain the installation's secret, because it is not encrypted. "  # noqa: S105 - a message
    "Keep a copy of {place} elsewhere."
)

key_file_option = click.option(
    "--key-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the backup key (PANNIER_BACKUP_KEY).",
)


def load_key(settings: Settings, key_file: Path | None) -> "BackupKey | None":
    """Load the key from a file or from the settings."""
    from pannier.backups.encryption import BackupKey  # noqa: PLC0415 - loaded on demand

    try:
        text = settings.backup_key if key_file is None else key_file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"The key file {key_file} cannot be read: {error}.") from error
    return None if text is None else BackupKey(text)


@click.command()
@access.data_option
@click.option("--to", "url", metavar="URL", help="Folder or bucket (PANNIER_BACKUP_URL).")
@key_file_option
@access.json_option
def backup(data: str | None, url: str | None, key_file: Path | None, as_json: bool) -> None:
    """Back up the database and the files.

    Nothing has to stop. Files that an earlier backup in the same place contains are not copied
    again. The backup is encrypted if there is a key, and only then contains the installation's
    secret.
    """

    async def take(database: Database, settings: Settings) -> "Manifest | None":
        from pannier.backups import service  # noqa: PLC0415 - loaded on demand

        destination_url = url or settings.backup_url
        if destination_url is None:
            raise BackupError(NO_DESTINATION)
        return await service.create_backup(
            database,
            settings,
            destination_url,
            load_key(settings, key_file),
            report=lambda text: click.echo(text, err=True),
        )

    manifest = access.run(data, take)
    if manifest is None:
        return
    if as_json:
        click.echo(msgspec.json.encode(_summarize(manifest)))
        return
    click.echo(f"The backup {manifest.name} is complete.")
    if manifest.files.missing:
        click.echo(
            f"The storage no longer has {manifest.files.missing} files, which were deleted during "
            "the backup or lost before it."
        )
    if not manifest.secrets:
        place = "the file `secret` in the data directory, or of PANNIER_SECRET"
        click.echo(NO_SECRET_NOTE.format(place=place))


def _summarize(manifest: "Manifest") -> dict[str, object]:
    return {
        "name": manifest.name,
        "taken_at": manifest.taken_at,
        "finished_at": manifest.finished_at,
        "rows": manifest.rows,
        "files": manifest.files.count,
        "missing_files": manifest.files.missing,
        "encrypted": bool(manifest.secrets),
    }
