"""The data directory: made private, refused when it cannot be used, and synchronized."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from pannier.settings.values import SettingsError


@contextlib.contextmanager
def refuse_unusable(folder: Path) -> Iterator[None]:
    """Refuse, in a sentence, a data directory that cannot be used."""
    try:
        yield
    except OSError as wrong:
        raise SettingsError(
            f"The data directory {folder} cannot be used: {wrong.strerror}. "
            "Choose another with --data or PANNIER_DATA."
        ) from None


def sync_folder(folder: Path) -> None:
    """Make a rename in this folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_private(folder: Path) -> None:
    """Make the data directory; others may pass through it where they must, but not look around."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
