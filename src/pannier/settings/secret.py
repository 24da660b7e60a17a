"""The installation's secret, stored in a file in the data directory."""

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

import msgspec

from pannier.settings.folder import make_private, reject_unusable, sync_folder
from pannier.settings.loader import Settings

SECRET_FILE: Final = "secret"  # noqa: S105 - a file name


def load_or_create_secret(settings: Settings) -> Settings:
    """Fill in the secret from the data directory; on the first start, create and store it."""
    if settings.secret is not None:
        return settings
    with reject_unusable(settings.folder):
        make_private(settings.folder)
        _write_once(settings.folder / SECRET_FILE, make_secret())
    return load_secret(settings)


def load_secret(settings: Settings) -> Settings:
    """Fill in the secret from the data directory, if there is one."""
    file = settings.folder / SECRET_FILE
    if settings.secret is not None:
        return settings
    with (
        reject_unusable(settings.folder),
        contextlib.suppress(FileNotFoundError, NotADirectoryError),
    ):
        present, *older = file.read_text().split()
        known = " ".join([*older, *settings.older_secrets])
        return msgspec.structs.replace(settings, secret=present, old_secrets=known)
    return settings


def make_secret() -> str:
    return secrets.token_urlsafe(48)


def replace_secret(folder: Path, secret: str) -> None:
    """Put a new secret before those in the file, atomically: no secret can get lost."""
    path = folder / SECRET_FILE
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text("\n".join([secret, *path.read_text().split(), ""]))
    with fresh.open("rb") as written:
        os.fsync(written.fileno())
    fresh.replace(path)
    # The secret must be on disk before it is used: data encrypted with it must not outlive it.
    sync_folder(folder)


def _write_once(path: Path, text: str) -> None:
    if path.exists():
        return
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text(text)
    try:
        # Unlike a rename, a link never replaces a file that another process wrote first.
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
