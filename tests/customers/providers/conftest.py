"""A house that trusts local providers, and two stores in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import stage
from customers.mall import Mall
from customers.providers.issuer import Issuer
from customers.providers.lobby import Lobby
from pannier.db import Database
from pannier.kit.clock import ManualClock
from stage import House


@pytest.fixture
async def issuer(
    clock: ManualClock, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Issuer]:
    """The providers, open for business."""
    providers = Issuer(clock, tmp_path_factory.getbasetemp())
    await providers.open()
    yield providers
    await providers.close()


@pytest.fixture
async def house(database: Database, clock: ManualClock, tmp_path: Path, issuer: Issuer) -> House:
    """A whole Pannier that was told where its providers are."""
    return await stage.build(database, clock, str(tmp_path), **issuer.settings)


@pytest.fixture
async def lobby(mall: Mall, issuer: Issuer) -> Lobby:
    """Acme's store, which trusts all three providers."""
    lobby = Lobby(mall, issuer)
    await lobby.trust_all()
    return lobby


@pytest.fixture
def elsewhere(outlet: Mall, issuer: Issuer) -> Lobby:
    """The rival's store, which trusts nobody yet."""
    return Lobby(outlet, issuer)
