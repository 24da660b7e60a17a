"""The installation's secret, stored in a file in the data directory."""

import contextlib
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from pannier.settings.folder import make_private_folder, reject_unusable_folder, sync_folder
from pannier.settings.loader import Settings

SECRET_FILE: Final = "secret"  # noqa: S105 - a file name


def load_or_create_secret(settings: Settings) -> Settings:
    """Fill in the secret from the data directory. On the first start, create and store it."""
    if settings.secret is not None:
        return settings
    with reject_unusable_folder(settings.folder):
        make_private_folder(settings.folder)
        _create_secret_file(settings.folder / SECRET_FILE, make_secret())
    return load_secret(settings)


def load_secret(settings: Settings) -> Settings:
    """Fill in the secret from the data directory, if the directory has one."""
    file = settings.folder / SECRET_FILE
    if settings.secret is not None:
        return settings
    with (
        reject_unusable_folder(settings.folder),
        contextlib.suppress(FileNotFoundError, NotADirectoryError),
    ):
        current_secret, *older_secrets = file.read_text().split()
        old_secrets = " ".join([*older_secrets, *settings.older_secrets])
        return msgspec.structs.replace(settings, secret=current_secret, old_secrets=old_secrets)
    return settings


def store_secrets(settings: Settings, secrets: Sequence[str]) -> Settings:
    """Store the secrets of a restored installation in an empty data directory."""
    with reject_unusable_folder(settings.folder):
        make_private_folder(settings.folder)
        _create_secret_file(settings.folder / SECRET_FILE, "\n".join([*secrets, ""]))
        sync_folder(settings.folder)
    return load_secret(settings)


def make_secret() -> str:
    return secrets.token_urlsafe(48)


def replace_secret(folder: Path, secret: str) -> None:
    """Add a new secret at the start of the file. The atomic replacement loses no secret."""
    path = folder / SECRET_FILE
    new_file = path.with_name(f"{path.name}.{os.getpid()}")
    new_file.touch(mode=0o600)
    new_file.write_text("\n".join([secret, *path.read_text().split(), ""]))
    with new_file.open("rb") as file:
        os.fsync(file.fileno())
    new_file.replace(path)
    # The secret must be on disk before it is used. Otherwise a power failure could lose the secret,
    # but not data encrypted with it.
    sync_folder(folder)


def _create_secret_file(path: Path, text: str) -> None:
    if path.exists():
        return
    new_file = path.with_name(f"{path.name}.{os.getpid()}")
    new_file.touch(mode=0o600)
    new_file.write_text(text)
    try:
        # Unlike a rename, a link never replaces a file that another process wrote first.
        os.link(new_file, path)
    except FileExistsError:
        pass
    finally:
        new_file.unlink()
