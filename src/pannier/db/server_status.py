"""The server's version and state, and the state of the schema."""

from typing import Final

import msgspec

from pannier.db import versions


class ServerStatus(msgspec.Struct):
    """The server's version and state."""

    version: str
    read_only: bool
    # The latest migration, and the oldest versions that may run beside the migrations.
    migration: int
    oldest_versions: list[str]

    @property
    def required_version(self) -> str:
        """The oldest version of Pannier that may work on this database."""
        return versions.find_required_version(self.oldest_versions)

    @property
    def is_program_outdated(self) -> bool:
        """Whether this program is too old for the database."""
        return versions.is_older(versions.read_version(), self.required_version)


SERVER_STATUS: Final = """
    select current_setting('server_version') as version,
           current_setting('transaction_read_only')::boolean as read_only,
           (select coalesce(max(number), 0) from migrations) as migration,
           array(select distinct oldest_version from migrations
                 where oldest_version is not null) as oldest_versions"""
