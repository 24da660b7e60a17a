from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.kit.money import CURRENCIES, MAX_AMOUNT, Money, exponent, from_decimal, total

AMOUNTS = st.integers(-(10**15), 10**15)
CODES = st.sampled_from(sorted(CURRENCIES))
FACTORS = st.decimals(-1000, 1000, allow_nan=False, allow_infinity=False)


def half_up(value: Fraction) -> int:
    """The definition: to the nearest whole number, halves away from zero."""
    whole = (abs(value) + Fraction(1, 2)) // 1
    return int(whole) if value >= 0 else -int(whole)


@given(st.lists(AMOUNTS, max_size=20), CODES)
def test_a_total_is_the_sum_of_its_lines(amounts: list[int], code: str) -> None:
    assert total((Money(amount, code) for amount in amounts), code) == Money(sum(amounts), code)


@given(AMOUNTS, AMOUNTS, CODES)
def test_subtracting_undoes_adding(first: int, second: int, code: str) -> None:
    assert Money(first, code) + Money(second, code) - Money(second, code) == Money(first, code)
    assert Money(first, code) - Money(second, code) == Money(first, code) + -Money(second, code)


@given(AMOUNTS, FACTORS, CODES)
def test_a_product_is_rounded_half_up_exactly_once(amount: int, factor: Decimal, code: str) -> None:
    assert Money(amount, code).multiply(factor).amount == half_up(amount * Fraction(factor))


def test_halves_are_rounded_away_from_zero() -> None:
    assert Money(1, "SGD").multiply(Decimal("0.5")).amount == 1
    assert Money(5, "SGD").multiply(Decimal("0.5")).amount == 3
    assert Money(-1, "SGD").multiply(Decimal("0.5")).amount == -1


def test_a_product_just_below_a_half_is_not_rounded_twice() -> None:
    assert Money(1, "SGD").multiply(Decimal("0.4" + "9" * 60)).amount == 0
    assert Money(MAX_AMOUNT, "SGD").multiply(Decimal("0.4" + "9" * 60)).amount == 2**62 - 1


@given(AMOUNTS, CODES)
def test_money_survives_the_way_through_major_units(amount: int, code: str) -> None:
    money = Money(amount, code)

    assert from_decimal(money.to_decimal(), code) == money
    assert from_decimal(str(money.to_decimal()), code) == money
    assert money.to_decimal() == Decimal(amount) / 10 ** exponent(code)
    assert money.format() == f"{money.to_decimal()} {code}"


@pytest.mark.parametrize(
    ("amount", "code", "text"),
    [
        (1250, "SGD", "12.50 SGD"),
        (5, "SGD", "0.05 SGD"),
        (-5, "SGD", "-0.05 SGD"),
        (0, "USD", "0.00 USD"),
        (1250, "JPY", "1250 JPY"),
        (1250, "KWD", "1.250 KWD"),
        (1250, "IQD", "1.250 IQD"),
        (1250, "CLF", "0.1250 CLF"),
    ],
)
def test_money_reads_in_the_digits_of_its_currency(amount: int, code: str, text: str) -> None:
    assert Money(amount, code).format() == text


def test_currencies_follow_the_present_list_of_iso_4217() -> None:
    assert len(CURRENCIES) == 165
    assert {"EUR", "SGD", "XCG", "ZWG", "SLE", "VED", "XAF"} <= CURRENCIES
    assert not {"ANG", "BGN", "HRK", "ZWL", "SLL", "CUC", "XAU", "XXX"} & CURRENCIES
    digits = [exponent(code) for code in CURRENCIES]
    assert [digits.count(number) for number in (0, 2, 3, 4)] == [17, 139, 7, 2]


@pytest.mark.parametrize("code", ["", "sgd", "SG", "SGDX", "XYZ", "XAU"])
def test_an_unknown_currency_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="three capital letters"):
        Money(1, code)


@pytest.mark.parametrize("amount", [1.0, True, "1", None, Decimal(1)])
def test_an_amount_that_is_no_whole_number_is_refused(amount: object) -> None:
    with pytest.raises(ValueError, match="whole number"):
        Money(amount, "SGD")  # type: ignore[arg-type]  # the point of the test


def test_different_currencies_do_not_mix() -> None:
    with pytest.raises(ValueError, match="different currencies"):
        Money(1, "SGD") + Money(1, "USD")
    with pytest.raises(ValueError, match="different currencies"):
        Money(1, "SGD") - Money(1, "USD")
    with pytest.raises(ValueError, match="different currencies"):
        total([Money(1, "SGD")], "USD")


def test_an_amount_beyond_its_column_is_refused() -> None:
    largest = Money(MAX_AMOUNT, "SGD")

    with pytest.raises(ValueError, match="too large"):
        largest + Money(1, "SGD")
    with pytest.raises(ValueError, match="too large"):
        largest.multiply(Decimal("1E+999999"))
    with pytest.raises(ValueError, match="too large"):
        from_decimal(Decimal("1E+999999"), "SGD")
    assert largest.multiply(Decimal(1)) == largest
    assert largest.multiply(Decimal("1E-999999")) == Money(0, "SGD")


@pytest.mark.parametrize("factor", ["NaN", "Infinity", "-Infinity"])
def test_a_factor_that_is_no_number_is_refused(factor: str) -> None:
    with pytest.raises(ValueError, match="finite"):
        Money(1, "SGD").multiply(Decimal(factor))
    with pytest.raises(ValueError, match="finite"):
        from_decimal(Decimal(factor), "SGD")


@pytest.mark.parametrize("text", ["12,50", "1.250,00", " 1", "1e3", "1_000", "", ".5", "٣", "NaN"])
def test_an_amount_written_otherwise_is_refused_rather_than_guessed(text: str) -> None:
    with pytest.raises(ValueError, match="digits and one point"):
        from_decimal(text, "SGD")


def test_more_digits_than_the_currency_has_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 2 decimal digits"):
        from_decimal("12.505", "SGD")
    with pytest.raises(ValueError, match="at most 0 decimal digits"):
        from_decimal("12.5", "JPY")
    with pytest.raises(ValueError, match="at most 2 decimal digits"):
        from_decimal(Decimal("1." + "0" * 200 + "1"), "SGD")
    assert from_decimal("12.500", "SGD") == Money(1250, "SGD")


def test_money_in_json_is_an_amount_beside_a_code() -> None:
    body = msgspec.json.encode(Money(1250, "SGD"))

    assert body == b'{"amount":1250,"currency":"SGD"}'
    assert msgspec.json.decode(body, type=Money) == Money(1250, "SGD")
    with pytest.raises(msgspec.ValidationError, match="three capital letters"):
        msgspec.json.decode(b'{"amount":1,"currency":"??"}', type=Money)


def test_the_rounding_is_what_decimal_calls_half_up() -> None:
    for hundredths in range(-300, 300):
        factor = Decimal(hundredths) / 100
        expected = int(factor.to_integral_value(ROUND_HALF_UP))
        assert Money(1, "SGD").multiply(factor).amount == expected
