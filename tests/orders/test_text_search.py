"""Orders are found by whatever a caller on the phone can name."""

import pytest

from orders.shop import MANDAI, RAFFLES, Shop
from pannier.orders.text_search import list_phone_numbers
from stage import Firm


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def found(shop: Shop, text: str) -> list[str]:
    answer = await shop.firm.api.get("/v1/orders", params={"query": text})
    assert answer.status_code == 200, answer.text
    return [order["id"] for order in answer.json()]


async def test_an_order_is_found_by_any_of_its_parts(acme: Firm, shop: Shop, rival: Firm) -> None:
    await acme.admin.patch("/int/v1/settings", json={"country": "SG"})
    jose = await shop.post("contacts", name="José Müller Straße", phone="+6591234567")
    maria = await shop.post("contacts", name="María", phone="+6562223333")
    order = await shop.order(
        internal_id="SO-2041/77", customer=jose["id"], notes="Ring at the café.",
        waypoints=[{"place": RAFFLES},
                   {"place": {**MANDAI, "name": "Zoo", "phone": "+6567778888"},
                    "contact": maria["id"]}],
        entities=[{"name": "Crème brûlée", "sku": "CB-900"}],
    )  # fmt: skip
    other = await shop.order(pickup={"street1": "Elsewhere"}, dropoff={"street1": "Nowhere"})
    number = order["tracking_number"]["tracking_number"]
    texts = [
        "SO-2041", "2041/77", "O2041", "so 2041", "04177", number, number[-9:], number[5:12],
        number[6:12].replace("-", "").lower(), "jose", "muller", "müller strasse", "9123 4567",
        "+65 9123 4567", "91234567", "912345", "6222 3333", "67778888",
        "creme", "BRULEE", "cb-900", "80 mandai", "mandai lake", "zoo", "cafe",
    ]  # fmt: skip
    for text in texts:
        assert await found(shop, text) == [order["id"]], text
    assert await found(shop, "elsewhere") == [other["id"]]
    for text in ("7777", "00000", "SO-2042", "kumquat", "9123 4568", "%", "'", "\\", "!!", "ma"):
        assert await found(shop, text) == [], text
    stranger = Shop(rival)
    for text in texts:
        assert await found(stranger, text) == [], text


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
