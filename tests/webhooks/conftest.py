"""A house that may reach the loopback, and receivers there."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.webhooks import pool, sender, webhook_client
from program import PATIENCE
from stage import House
from webhooks import receiver as receivers
from webhooks.receiver import Receiver


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give all the time that a slow machine needs to reach whoever is well, and to record it."""
    monkeypatch.setattr(pool, "CONNECT_TIMEOUT_SECONDS", PATIENCE)
    monkeypatch.setattr(webhook_client, "CHECK_TIMEOUT_SECONDS", PATIENCE)
    monkeypatch.setattr(sender, "RECORD_TIMEOUT_SECONDS", PATIENCE)


@pytest.fixture(scope="session")
def trust(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that says whose certificates to trust, the same for all of a run's receivers."""
    return receivers.trusted(tmp_path_factory.mktemp("trust"))


@pytest.fixture
async def receiver(trust: Path) -> AsyncIterator[Receiver]:
    async with receivers.opened(trust.parent) as receiver:
        yield receiver


@pytest.fixture
async def house(
    database: Database, clock: ManualClock, tmp_path: Path, trust: Path
) -> AsyncIterator[House]:
    """A whole Pannier whose webhooks may reach this machine, and trust its receivers."""
    house = await stage.build(
        database,
        clock,
        str(tmp_path),
        webhook_allow_networks=receivers.NETWORKS,
        webhook_ca_bundle=str(trust),
    )
    yield house
    await house.edge.services["webhook_client"].close()
