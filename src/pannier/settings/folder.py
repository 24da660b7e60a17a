"""The data directory: private permissions, errors and synchronization with the disk."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from pannier.settings.values import SettingsError


@contextlib.contextmanager
def reject_unusable_folder(folder: Path) -> Iterator[None]:
    """Turn an OSError in this block into a SettingsError about the data directory."""
    try:
        yield
    except OSError as error:
        raise SettingsError(
            f"The data directory {folder} cannot be used: {error.strerror}. "
            "Choose another with --data or PANNIER_DATA."
        ) from None


def sync_folder(folder: Path) -> None:
    """Flush the folder's entries, so that a rename in it survives a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_private_folder(folder: Path) -> None:
    """Create the data directory with private permissions.

    A directory created by root is traversable, but not readable, by others, because the embedded
    server runs under another account.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
