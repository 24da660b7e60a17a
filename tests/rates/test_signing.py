"""Signed quotes: nobody alters them, nobody else uses them, and they end in time."""

from uuid import UUID

import pytest

from pannier.db import Database
from pannier.errors import NotFound
from pannier.kit.clock import ManualClock
from pannier.kit.crypto import Keyring
from pannier.rates.quotes import signing
from pannier.rates.quotes.signing import QuoteExpired, SignedQuote
from rates import counter
from stage import SECRET, Firm


async def quote(firm: Firm, **sent: str) -> dict[str, str]:
    (found,) = await counter.ask(firm.api, **sent)
    return dict(found)


async def read(firm: Firm, name: str, *, database: Database | None = None) -> SignedQuote:
    async with (database or firm.house.database).reading() as db:
        return signing.parse_quote_id(db, firm.uuid, name)


async def test_an_id_carries_all_that_the_quote_says(acme: Firm) -> None:
    made = await counter.rate(acme, **counter.BY_KILOMETRE)
    shown = await quote(acme)
    signed = await read(acme, shown["id"])
    assert (str(signed.rate), signed.rate_version) == (made["uuid"], 1)
    assert (signed.amount, signed.currency) == (shown["amount"], "SGD")
    assert (signed.route.distance, signed.route.source) == (shown["distance"], "great_circle")
    assert sum(line.amount for line in signed.items) == signed.amount
    assert [line.details for line in signed.items] == [line["details"] for line in shown["items"]]
    assert signed.expired_at > signed.created_at
    assert len(shown["id"]) < 400


async def test_every_altered_id_is_unknown(acme: Firm) -> None:
    await counter.rate(acme)
    name = (await quote(acme))["id"]
    altered = [
        name[:at] + ("A" if name[at] != "A" else "B") + name[at + 1 :]
        for at in range(len("quote_"), len(name))
    ]
    for other in (*altered, name[:-1], f"{name}A", f"{name}=", f"{name}!", name.removeprefix(
        "quote_"), f"order_{name}", "quote_", "", "quote_" + "A" * 5000):  # fmt: skip
        with pytest.raises(NotFound):
            await read(acme, other)


async def test_another_companys_quote_is_unknown(acme: Firm, rival: Firm) -> None:
    await counter.rate(acme)
    name = (await quote(acme))["id"]
    with pytest.raises(NotFound):
        await read(rival, name)


async def test_a_quote_ends_when_it_says_so(acme: Firm, clock: ManualClock) -> None:
    await counter.rate(acme)
    name = (await quote(acme))["id"]
    clock.advance(seconds=1799)
    await read(acme, name)
    clock.advance(seconds=1)
    with pytest.raises(QuoteExpired):
        await read(acme, name)


async def test_a_new_secret_keeps_old_quotes_for_their_life(acme: Firm) -> None:
    await counter.rate(acme)
    name = (await quote(acme))["id"]
    database = acme.house.database
    present = database.keys
    try:
        database.keys = Keyring("another secret that is long enough", [SECRET])
        await read(acme, name)
        database.keys = Keyring("another secret that is long enough")
        with pytest.raises(NotFound):
            await read(acme, name)
    finally:
        database.keys = present


async def test_the_same_shipment_has_the_same_mark_and_another_one_another(acme: Firm) -> None:
    await counter.rate(acme)
    marks = [
        (await read(acme, (await quote(acme, **sent))["id"])).shipment
        for sent in (
            {},
            {"distance": "5"},
            {"dropoff": "0,100.2"},
            {"entities": '[{"weight":1}]'},
            {"scheduled_at": "2026-02-01T00:00:00Z"},
        )
    ]
    assert marks[0] == marks[1]
    assert len(set(marks)) == 4


async def test_two_customers_never_hold_the_same_quote(acme: Firm) -> None:
    await counter.rate(acme)
    assert (await quote(acme))["id"] != (await quote(acme))["id"]


@pytest.mark.slow
async def test_a_way_through_very_many_zones_still_fits(acme: Firm) -> None:
    zones = [
        await counter.zone(acme, counter.square(100 + number / 50, -0.01, 0.02), f"{number}")
        for number in range(20)
    ]
    fees = [
        {"zone": zone["id"], "fee": 100 + number, "label": "A long name of a zone " * 3}
        for number, zone in enumerate(zones)
    ]
    await counter.rate(acme, rate_calculation_method="multi_zone_distance", zone_fees=fees)
    shown = await quote(acme, dropoff="0,100.4")
    assert len(shown["items"]) == 21
    signed = await read(acme, shown["id"])
    assert {line.code for line in signed.items} == {"BASE_FEE", "MULTI_ZONE_DISTANCE_FEE"}
    assert sum(line.amount for line in signed.items) == signed.amount
    assert len(shown["id"]) < signing.MAX_ID_LENGTH
    assert isinstance(signed.rate, UUID)
