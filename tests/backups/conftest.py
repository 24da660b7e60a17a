"""An installation to back up, and an empty database to restore it into."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import stage
from orders.conftest import shop
from pannier.backups import restoring
from pannier.backups.destination import Destination
from pannier.backups.encryption import BackupKey
from pannier.backups.manifest import Manifest
from pannier.backups.taking import BackupSource, take_backup
from pannier.backups.verification import verify
from pannier.files.storage import Storage, make_storage
from pannier.settings import Settings, load
from stage import House

__all__ = ["shop"]


@dataclass
class Vault:
    """Backs a house up, and restores it elsewhere."""

    house: House
    source: BackupSource
    destination: Destination
    empty_url: str
    folder: Path
    reports: list[str] = field(default_factory=list)

    @property
    def target(self) -> Settings:
        """The settings of the installation that is restored into."""
        return load({}, data=str(self.folder / "target"), secret=stage.SECRET)

    @property
    def target_storage(self) -> Storage:
        return make_storage(self.target)

    async def back_up(self, key: BackupKey | None = None) -> Manifest:
        manifest = await take_backup(self.source, self.destination, key, report=self.reports.append)
        assert manifest is not None
        return manifest

    async def restore(self, key: BackupKey | None = None, name: str | None = None) -> None:
        """Verify a backup and restore it into the empty database."""
        backup = await restoring.find_backup(self.destination, key, name=name, at=None)
        await verify(backup)
        await restoring.restore(self.target, self.empty_url, backup, self.target_storage)


@pytest.fixture
async def empty_url(server_url: str) -> AsyncIterator[str]:
    """A migrated database without rows to restore into; the commands create one from nothing."""
    name = f"restored_{os.getpid()}"
    yield await stage.create_migrated(server_url, name)
    await stage.admin(server_url, f"drop database {name} with (force)")


@pytest.fixture
def vault(house: House, database_url: str, empty_url: str, tmp_path: Path) -> Vault:
    source = BackupSource(database_url, make_storage(house.settings), [stage.SECRET])
    destination = Destination(str(tmp_path / "backups"))
    return Vault(house, source, destination, empty_url, tmp_path)


@pytest.fixture
def migrated_url(server_url: str) -> Iterator[str]:
    """A migrated database with nobody in it."""
    name = f"backed_up_{os.getpid()}"
    yield asyncio.run(stage.create_migrated(server_url, name))
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


@pytest.fixture
def empty_url_for_commands(server_url: str) -> Iterator[str]:
    """An empty database for commands, which run their own event loop."""
    name = f"commanded_{os.getpid()}"
    asyncio.run(stage.admin(server_url, f"create database {name}"))
    yield stage.sibling(server_url, name)
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))
