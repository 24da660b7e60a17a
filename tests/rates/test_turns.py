"""Whoever asks for quotes holds nobody else up."""

import asyncio

import pytest

from pannier.rates.quotes import quoting
from rates import counter
from rates.examples import shipment
from stage import Firm


async def test_others_have_their_turn_as_time_passes_however_few_rates_there_are(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fee in (1, 2, 3):
        await counter.rate(acme, base_fee=fee)
    async with acme.house.database.reading() as db:
        pricing = await quoting.pricing_of(db, acme.uuid)
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    monkeypatch.setattr(quoting, "TURN", 0)
    other = asyncio.create_task(take_turns())
    quotes = await pricing.quotes(shipment())
    other.cancel()
    assert (len(quotes), turns) == (3, 3)
