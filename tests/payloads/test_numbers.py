"""Tracking numbers: a slip of the pen is no number, and no two things share one."""

from itertools import chain, repeat
from uuid import uuid4

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pannier.payloads import numbers
from pannier.payloads.numbers import ALPHABET, NumberSubject
from payloads.warehouse import Warehouse
from stage import House

symbols = st.text(ALPHABET, min_size=11, max_size=11).map(
    lambda text: text + numbers.compute_check_symbol(text)
)
prefixes = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=3)


def spelled(prefix: str, text: str) -> str:
    return f"{prefix}-{text[:4]}-{text[4:8]}-{text[8:]}"


@given(st.text())
def test_what_is_drawn_is_a_number(name: str) -> None:
    drawn = numbers.draw_number(name)
    assert numbers.parse(drawn) == drawn
    assert len(drawn.split("-")) == 4


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("Acme", "ACM"), ("Müller & Söhne", "MUL"), ("3M", "M"), ("渋谷", "PAN"), ("", "PAN"),
        ("42", "PAN"), ("o'Neil", "ONE"), ("a b c d", "ABC"), ("Straße", "STR"),
    ],
)  # fmt: skip
def test_a_number_begins_with_the_companys_letters(name: str, prefix: str) -> None:
    assert numbers.derive_prefix(name) == prefix


@given(prefixes, symbols, st.integers(3, 11))
def test_a_number_is_known_by_how_it_begins(prefix: str, text: str, many: int) -> None:
    begun = numbers.parse_start(f"{prefix} {text[:many]}".lower())
    assert begun == spelled(prefix, text[:many]).rstrip("-")
    assert spelled(prefix, text).startswith(begun or "nothing")


@pytest.mark.parametrize("typed", ["", "PAN", "PAN-1", "PAN-12", "PAN-U12", "Ada", "12345"])
def test_what_too_many_numbers_begin_with_or_none_is_no_beginning(typed: str) -> None:
    assert numbers.parse_start(typed) is None


@given(prefixes, symbols, st.integers(0, 11), st.sampled_from(ALPHABET))
def test_a_single_wrong_symbol_is_found(prefix: str, text: str, at: int, wrong: str) -> None:
    assume(text[at] != wrong)
    assert numbers.parse(spelled(prefix, text[:at] + wrong + text[at + 1 :])) is None


@given(prefixes, symbols, st.integers(0, 10))
def test_two_neighbours_in_each_others_place_are_found(prefix: str, text: str, at: int) -> None:
    one, other = text[at], text[at + 1]
    # Luhn's rule cannot tell the first symbol of the alphabet beside the last from the reverse.
    assume(one != other and {one, other} != {ALPHABET[0], ALPHABET[-1]})
    assert numbers.parse(spelled(prefix, text[:at] + other + one + text[at + 2 :])) is None


@pytest.mark.slow
@given(prefixes, symbols, st.data())
def test_a_number_is_read_as_people_type_it(prefix: str, text: str, data: st.DataObject) -> None:
    looks = {"0": "0oO", "1": "1iIlL"}
    typed = "".join(
        data.draw(st.sampled_from(looks.get(symbol, symbol + symbol.lower()))) for symbol in text
    )
    gaps = data.draw(st.sampled_from(["", " ", "-", " - ", "\u2013", "\t"]))
    whole = gaps.join((f"  {prefix.lower()}", typed[:4], typed[4:8], f"{typed[8:]} "))
    assert numbers.parse(whole) == spelled(prefix, text)


@pytest.mark.parametrize(
    "text",
    [
        "", "ACM", "ACM-0000-0000-000", "0000-0000-0000", "ACME-0000-0000-0000",
        "A1M-0000-0000-0000", "ACM-0000-0000-000U", "ÄCM-0000-0000-0000", "ACM-0000-0000-000\uff10",
        "ﬀ-0000-0000-0000", "ACM_0000_0000_0000", "order_5uJr2EwZ7bQx9KmT", "\x00",
    ],
)  # fmt: skip
def test_other_texts_are_no_number(text: str) -> None:
    assert numbers.parse(text) is None


def test_luhns_rule_by_hand() -> None:
    # From the right, doubled: Z=31 gives 62 = 1·32 + 30, so 31; and a 1 that is not doubled.
    assert numbers.compute_check_symbol("1Z") == ALPHABET[-(1 + 31) % 32] == "0"
    assert numbers.compute_check_symbol("0" * 11) == "0"
    assert numbers.parse("PAN-0000-0000-0000") == "PAN-0000-0000-0000"


async def test_a_number_that_is_taken_is_drawn_again(depot: Warehouse, house: House) -> None:
    await depot.order(await depot.payload())
    order = await house.value("select uuid from orders")
    one, two, three = (
        spelled("ACM", f"0000000000{n}" + numbers.compute_check_symbol(f"0000000000{n}"))
        for n in "123"
    )
    drawn = chain([one], [one, one, two], repeat(three))
    subjects = [NumberSubject("waypoint", uuid4(), f"waypoint_{n}") for n in range(3)]
    given = []
    async with house.database.transaction() as db:
        for some in (subjects[:1], subjects[1:]):
            rows, new = await numbers.reserve(
                db, depot.firm.uuid, order, some, region="SG", draw_number=lambda _: next(drawn)
            )
            assert new == some
            given += [rows[subject.uuid].number for subject in some]
    assert given == [one, two, three]
    assert await house.value("select count(*) from tracking_numbers where region = 'SG'") == 3


async def test_no_subjects_need_no_numbers(depot: Warehouse, house: House) -> None:
    async with house.database.transaction() as db:
        assert await numbers.issue(db, depot.firm.uuid, db.new_uuid(), "order_1", []) == {}


async def test_what_joins_an_order_is_followed_at_once(depot: Warehouse) -> None:
    made = await depot.payload(entities=[{"name": "X"}])
    assert made["entities"][0]["tracking_number"] is None
    order = await depot.order(made)
    stop = await depot.post("waypoints", payload=made["id"], place="C")
    item = await depot.post("entities", name="Y", payload=made["id"])
    now = await depot.patch(
        f"payloads/{made['id']}",
        entities=[{"id": item["id"]}, {"name": "Z"}],
    )
    # The pickup and the dropoff became stops as well.
    followed = [*now["waypoints"], *now["entities"]]
    for one in followed:
        assert numbers.parse(one["tracking_number"]) == one["tracking_number"]
        assert one["tracking_number"].startswith("ACM-")
    assert stop["tracking_number"] == now["waypoints"][1]["tracking_number"]
    assert (await depot.get("entities"))[0]["tracking_number"]
    told = [body for body in await depot.told() if body["event"] == "tracking_number.created"]
    given = {body["data"]["subject"]: body["data"]["tracking_number"] for body in told}
    assert len(given) == len(told), "each is told once"
    assert given.keys() == {order, made["entities"][0]["id"], *(one["id"] for one in followed)}
    assert all(given[one["id"]] == one["tracking_number"] for one in followed)
    first = told[0]["data"]
    assert first["id"].startswith("track_")
    assert first["order"] == order
    assert {body["data"]["subject_type"] for body in told} == {"order", "waypoint", "entity"}


async def test_a_number_goes_with_what_it_belongs_to(depot: Warehouse, house: House) -> None:
    made = await depot.route("A", "B")
    await depot.order(made)
    stop = await depot.post("waypoints", payload=made["id"], place="C")
    item = await depot.post("entities", name="X", payload=made["id"])
    await depot.delete(f"waypoints/{stop['id']}")
    await depot.delete(f"entities/{item['id']}")
    living = "select count(*) from tracking_numbers where deleted_at is null"
    assert await house.value(living) == 3, "the order's, and those of the two stops that stay"
    assert await house.value("select count(*) from tracking_numbers") == 5


async def test_a_moved_item_keeps_the_number_on_its_label(depot: Warehouse, house: House) -> None:
    one, two, free = [await depot.payload() for _ in range(3)]
    await depot.order(one)
    await depot.order(two)
    item = await depot.post("entities", name="X", payload=one["id"])
    path = f"entities/{item['id']}"
    assert (await depot.patch(path, payload=free["id"]))["tracking_number"] is None
    assert (await depot.patch(path, payload=None))["tracking_number"] is None
    moved = await depot.patch(path, payload=two["id"])
    assert moved["tracking_number"] == item["tracking_number"]
    order = await house.value(
        f"""select o.payload from tracking_numbers n join orders o on o.uuid = n.order_uuid
            where n.number = '{item["tracking_number"]}'"""
    )
    assert str(order) == two["uuid"]
    again = await depot.patch(path, payload=free["id"])
    assert again["tracking_number"] is None
    ordered = await depot.post("orders", payload=free["id"])
    assert [one["tracking_number"] for one in ordered["payload"]["entities"]] == [
        item["tracking_number"]
    ]
    fresh = await depot.post("entities", name="Y")
    assert (await depot.patch(f"entities/{fresh['id']}", payload=one["id"]))["tracking_number"]
