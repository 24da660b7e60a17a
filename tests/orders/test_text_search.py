"""Orders are found by whatever a caller on the phone can name."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from db.test_plans import COPIES, COPY, MANY, ORDERS, taken
from orders.shop import MANDAI, RAFFLES, Shop
from pannier.orders import queries
from pannier.orders.filters import OrderFilters
from pannier.orders.text_search import list_phone_numbers
from stage import Firm, House


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def found(shop: Shop, text: str) -> list[str]:
    answer = await shop.firm.api.get("/v1/orders", params={"query": text})
    assert answer.status_code == 200, answer.text
    return [order["id"] for order in answer.json()]


async def test_an_order_is_found_by_any_of_its_parts(acme: Firm, shop: Shop, rival: Firm) -> None:
    await acme.admin.patch("/int/v1/settings", json={"country": "SG"})
    jose = await shop.post(
        "contacts", name="José Müller Straße", phone="+6591234567", email="jose@example.com"
    )
    maria = await shop.post(
        "contacts", name="María", phone="+6562223333", email="maria.b@example.org"
    )
    order = await shop.order(
        internal_id="SO-2041/77", customer=jose["id"], notes="Ring at the café.",
        waypoints=[{"place": RAFFLES},
                   {"place": {**MANDAI, "name": "Zoo", "phone": "+6567778888"},
                    "contact": maria["id"]}],
        entities=[{"name": "Crème brûlée", "sku": "CB-900"}],
    )  # fmt: skip
    other = await shop.order(pickup={"street1": "Elsewhere"}, dropoff={"street1": "Nowhere"})
    number = order["tracking_number"]["tracking_number"]
    item_number = order["payload"]["entities"][0]["tracking_number"]
    stop_number = order["payload"]["waypoints"][1]["tracking_number"]
    texts = [
        item_number[6:14], item_number.replace("-", "")[5:12].lower(), stop_number[6:14],
        "SO-2041", "2041/77", "O2041", "so 2041", "04177", number, number[-9:], number[5:12],
        number[6:12].replace("-", "").lower(), "jose", "muller", "müller strasse", "9123 4567",
        "+65 9123 4567", "91234567", "912345", "6222 3333", "67778888",
        "jose@example.com", "JOSE@Example", "maria.b@example.org", "  josé   muller ",
        "creme   brulee", "80  mandai\tlake", "ring  AT the cafe",
        "creme", "BRULEE", "cb-900", "80 mandai", "mandai lake", "zoo", "cafe",
    ]  # fmt: skip
    for text in texts:
        assert await found(shop, text) == [order["id"]], text
    assert await found(shop, "elsewhere") == [other["id"]]
    for text in (
        "7777",
        "00000",
        "SO-2042",
        "kumquat",
        "9123 4568",
        "maria.b@example.com",
        "brulee creme",
        "%",
        "'",
        "\\",
        "!!",
        "ma",
    ):
        assert await found(shop, text) == [], text
    stranger = Shop(rival)
    for text in texts:
        assert await found(stranger, text) == [], text


async def test_lists_of_people_and_places_ignore_accents_and_spacing(shop: Shop) -> None:
    people = {"name": "José Müller", "phone": "+6591234567"}
    made = {
        "contacts": await shop.post("contacts", **people),
        "vendors": await shop.post("vendors", **people),
        "drivers": await shop.post("drivers", **people),
        "places": await shop.post("places", **MANDAI, name="José Müller", phone="+6591234567"),
    }
    await shop.post("contacts", name="Grace", phone="+6598765432")
    for path, record in made.items():
        for text in ("jose  muller", " MULLER", "9123 4567", "+65 9123 4567",
                     "(9123) 4567", "+65 9123-4567"):  # fmt: skip
            rows = (await shop.firm.api.get(f"/v1/{path}", params={"query": text})).json()
            assert [row["id"] for row in rows] == [record["id"]], (path, text)
        everything = await shop.get(path)
        for blank in ("", "   "):
            rows = (await shop.firm.api.get(f"/v1/{path}", params={"query": blank})).json()
            assert len(rows) == len(everything), path


async def test_an_order_that_was_deleted_is_not_found(shop: Shop) -> None:
    order = await shop.order(internal_id="SO-4711")
    assert await found(shop, "O471") == [order["id"]]
    await shop.firm.api.delete(f"/v1/orders/{order['id']}")
    assert await found(shop, "O471") == []


@pytest.mark.parametrize(
    ("text", "country", "digits"),
    [
        ("9123 4567", "SG", ["91234567", "6591234567"]),
        ("0151 2345-6789", "DE", ["15123456789", "4915123456789"]),
        ("+49 (151) 23456789", None, ["4915123456789"]),
        ("0049 151 23456789", None, ["4915123456789"]),
        ("912345", "SG", ["912345"]),
        ("12-34", "SG", []),
        ("SO-912345", "SG", []),
    ],
)
def test_a_phone_number_is_read_in_any_spelling(
    text: str, country: str | None, digits: list[str]
) -> None:
    assert list_phone_numbers(text, country)[: len(digits) or 1] == digits


@pytest.mark.slow
async def test_a_search_is_ended_and_refused_before_anybody_waits_long(
    shop: Shop, acme: Firm, house: House
) -> None:
    await shop.order(notes="Beware of the basilisk.")
    await shop.post("contacts", name="Ada")
    async with house.database.transaction() as db:
        # As long as this lasts, a search goes on.
        await db.execute("lock table orders, contacts in access exclusive mode")
        async with asyncio.timeout(20):
            for path in ("/v1/orders?query=basilisk", "/v1/contacts?query=ada"):
                refused = await acme.api.get(path)
                assert refused.status_code == 422, refused.text
                assert refused.json()["code"] == "search_too_broad"
    [order] = (await acme.api.get("/v1/orders?query=basilisk")).json()
    assert order["notes"] == "Beware of the basilisk."


@pytest.mark.slow
async def test_a_common_word_reads_a_limited_number_of_orders_the_newest_first(
    shop: Shop, acme: Firm, rival: Firm, house: House
) -> None:
    await shop.order(notes="Leave it at the door.", internal_id="DOOR-1")
    async with house.database.transaction() as db:
        await db.execute(COPY.format(table="payloads", changes=COPIES["payloads"], many=MANY))
        await db.execute(ORDERS.format(scheduled="null"))
    await Shop(rival).order(notes="Leave it at the door.", internal_id="DOOR-1")
    await house.value("analyze")
    newest = await shop.order(notes="Leave it at the door.", internal_id="DOOR-2")

    async def ask() -> None:
        async with house.database.reading() as db:
            page = await queries.list_orders(db, acme.uuid, OrderFilters(query="door"))
        assert page.rows[0].public_id == newest["id"]
        assert len(page.rows) == 30

    for sql, plan in await taken(house, ask, "select", "with"):
        if "matched" not in sql:
            continue
        matches = [
            node for node in walk_plan(plan) if node.get("Subplan Name", "").startswith("CTE match")
        ]
        # However many there are, a limited number of them is compared with the list.
        assert len(matches) == 5
        limits = [node for node in walk_plan(plan) if node["Node Type"] == "Limit"]
        assert len(limits) > len(matches)


def walk_plan(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", []):
        yield from walk_plan(part)
