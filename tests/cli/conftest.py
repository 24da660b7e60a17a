"""What tests of commands share."""

import asyncio
import os
from collections.abc import Iterator

import pytest

import stage


@pytest.fixture
def empty_url(server_url: str) -> Iterator[str]:
    """An empty database for a command to work on."""
    name = f"command_{os.getpid()}"
    asyncio.run(stage.admin(server_url, f"create database {name}"))
    yield stage.sibling(server_url, name)
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


@pytest.fixture
def migrated_url(server_url: str) -> Iterator[str]:
    """A migrated database with nobody in it."""
    name = f"command_{os.getpid()}"
    yield asyncio.run(stage.create_migrated(server_url, name))
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))
