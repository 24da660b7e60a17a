"""The error of commands that take, verify or restore backups."""

from pannier.errors import SetupError


class BackupError(SetupError):
    """A backup cannot be taken, read or restored. The message says why, for the operator."""


class DamagedBackupError(BackupError):
    """A backup is incomplete or was changed."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"The backup is damaged: {name} {reason}. Restore another one.")
