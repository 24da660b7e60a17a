"""A till with a fake gateway, and one whose gateway is Stripe's client at a bank of our own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import stage
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.payments.stripe import StripeGateway
from payments import bank as banks
from payments.bank import Bank
from payments.till import Till, equipped
from stage import House


@pytest.fixture
async def faking(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    """A house whose settings name the fake gateway."""
    return await stage.build(
        database, clock, str(tmp_path), payments="fake", test_payments_on_live="true"
    )


@pytest.fixture
async def till(faking: House) -> Till:
    return Till(await faking.found("Acme"))


@pytest.fixture
async def bank() -> AsyncIterator[Bank]:
    async with banks.opened() as bank:
        yield bank


@pytest.fixture
async def striped(house: House, bank: Bank) -> AsyncIterator[Till]:
    """A till at Stripe, which asks but once."""
    gateway = StripeGateway(
        banks.SECRET_KEY,
        banks.PUBLISHABLE_KEY,
        notice_secret=banks.NOTICE_SECRET,
        default_return_url="http://127.0.0.1:8000/payments/done",
        url=bank.url,
        retries=0,
        test_serves_live=True,
    )
    yield Till(await equipped(house, gateway).found("Acme"))
    await gateway.close()
