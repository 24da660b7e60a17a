"""Numbers as people type them: a comma or a point before the decimals, and nothing misread."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from console.reading import sent_by
from console.seat import Seat
from orders.shop import Shop
from pannier.kit import decimals
from stage import Firm

LOCALES = some.sampled_from([None, "en-SG", "de", "de-CH", "fr", "en"])
NUMBERS = some.decimals(
    min_value=-(10**9), max_value=10**9, places=2, allow_nan=False, allow_infinity=False
)


@given(NUMBERS, LOCALES)
def test_a_comma_and_a_point_before_two_decimals_are_the_same(
    number: Decimal, locale: str | None
) -> None:
    text = f"{number:f}"
    assert decimals.parse(text, locale) == number
    assert decimals.parse(text.replace(".", ","), locale) == number


@given(NUMBERS, LOCALES)
def test_thousands_are_read_where_both_separators_occur(
    number: Decimal, locale: str | None
) -> None:
    english = f"{number:,.2f}"
    assert decimals.parse(english, locale) == number
    swapped = english.translate(str.maketrans(",.", ".,"))
    assert decimals.parse(swapped, locale) == number
    assert decimals.parse(english.replace(",", " "), locale) == number
    assert decimals.parse(english.replace(",", "'"), locale) == number


@given(some.text(alphabet="0123456789.,' +-", max_size=14), LOCALES)
def test_whatever_is_read_is_one_of_the_two_readings(text: str, locale: str | None) -> None:
    try:
        read = decimals.parse(text, locale)
    except ValueError:
        return
    bare = text.strip().replace(" ", "").replace("'", "")
    readings = set()
    for mark, group in ((".", ","), (",", ".")):
        try:
            readings.add(Decimal(bare.replace(group, "").replace(mark, ".")))
        except ArithmeticError:
            continue
    assert read in readings


@pytest.mark.parametrize(
    ("text", "locale", "number"),
    [
        ("4,5", None, "4.5"), ("4,5", "en", "4.5"), (",5", None, "0.5"), ("0,125", "en", "0.125"),
        ("1,234", "de", "1.234"), ("1,234", "en-SG", "1234"), ("1.234", "en", "1.234"),
        ("1.234.567", "en", "1234567"), ("1,234,567", "de", "1234567"), ("12 500", "fr", "12500"),
    ],
)  # fmt: skip
def test_the_locale_decides_what_can_be_read_in_two_ways(
    text: str, locale: str | None, number: str
) -> None:
    assert decimals.parse(text, locale) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "locale"),
    [("1,234", None), ("1.234", "de"), ("4,5,6", "en"), ("1.2,3.4", "en"), ("1,23,456", "en"),
     ("four", "en"), ("1e3", "en"), ("NaN", "en"), ("--4", "en"), ("٤", "en")],
)  # fmt: skip
def test_what_is_no_number_or_two_is_refused(text: str, locale: str | None) -> None:
    with pytest.raises(ValueError, match=r"is not a number|is ambiguous"):
        decimals.parse(text, locale)


@pytest.mark.parametrize(
    ("text", "point"),
    [("1,2966; 103,8520", "1.2966,103.8520"), ("1.2966 103.8520", "1.2966,103.8520"),
     ("1.2966,103.8520", "1.2966,103.8520"), ("1,2966,103,8520", "1,2966,103,8520")],
)  # fmt: skip
def test_a_point_may_have_decimal_commas_where_its_halves_are_told_apart(
    text: str, point: str
) -> None:
    assert decimals.normalise_point(text) == point


async def test_a_weight_with_a_decimal_comma_is_kept(acme: Firm, seat: Seat) -> None:
    shop, path = Shop(acme), "/console/orders/new"
    form = sent_by((await seat.open(path)).main.one("form", action=path))
    typed = {"pickup": "1,284; 103,851", "dropoff": "1.404,103.79", "entities[0].name": "Box",
             "entities[0].weight": "4,5"}  # fmt: skip
    await seat.sent(path, {**form, **typed})
    (order,) = await shop.get("orders")
    assert [item["weight"] for item in order["payload"]["entities"]] == [4.5]


async def test_a_number_that_can_be_read_in_two_ways_is_refused_beside_its_field(
    acme: Firm, seat: Seat
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"locale": "de"})
    form = (await seat.open("/console/vehicles/new")).sheet()
    page = await seat.sent("/console/vehicles/new", {**form, "capacity.weight": "1.500"})
    assert "is ambiguous" in page.root.one("small", id="f-capacity-weight-note").text
    await seat.sent("/console/vehicles/new", {**form, "capacity.weight": "1.500,5"})
    (vehicle,) = await Shop(acme).get("vehicles")
    assert vehicle["payload_capacity"] == 1500.5


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("12,5%", "12.5%"), ("12.5 %", "12.5%"), ("1.250,00", 1250), ("500", 500)],
)
async def test_a_return_fee_is_read_as_the_company_writes_numbers(
    acme: Firm, seat: Seat, typed: str, kept: str | int
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"locale": "de"})
    await seat.sent("/console/settings/billing", {"return_fee": typed})
    assert (await acme.admin.get("/int/v1/settings")).json()["return_fee"] == kept


@pytest.mark.parametrize("typed", ["4,5", "four", "5% off"])
async def test_a_return_fee_that_is_no_amount_is_refused_beside_its_field(
    acme: Firm, seat: Seat, typed: str
) -> None:
    page = await seat.sent("/console/settings/billing", {"return_fee": typed})
    note = page.root.one("small", id="f-return_fee-note").text
    assert typed in note
    assert "4,5" not in typed or "4.5%" in note
    assert (await acme.admin.get("/int/v1/settings")).json()["return_fee"] is None
