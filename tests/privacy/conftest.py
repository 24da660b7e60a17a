"""A store, and a company that proves its deliveries."""

from itertools import count
from pathlib import Path

import pytest

import stage
from customers.mall import Mall
from pannier.db import Database
from pannier.kit.clock import ManualClock
from proofs.evidence import Courier
from stage import Firm, House


@pytest.fixture
def mall(acme: Firm) -> Mall:
    return Mall(acme, count(1))


@pytest.fixture
def courier(acme: Firm) -> Courier:
    return Courier(acme)


@pytest.fixture
async def house(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    """A whole Pannier with a payment gateway."""
    return await stage.build(
        database, clock, str(tmp_path), payments="fake", test_payments_on_live="true"
    )
