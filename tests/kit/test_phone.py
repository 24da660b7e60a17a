import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pannier.kit.phone import find_country, is_national, mask, normalise, normalise_international

COUNTRIES = st.sampled_from([1, 7, 20, 27, 33, 34, 39, 44, 49, 52, 54, 55, 61, 65, 81, 86, 91, 971])
# The first example loads the library and its tables.
SLOW_AT_FIRST = settings(deadline=None)


def accepted(raw: str) -> str:
    """The normal form, leaving out examples that are refused."""
    try:
        return normalise_international(raw)
    except ValueError:
        assume(condition=False)
        raise


@pytest.mark.parametrize(
    "raw",
    [
        "+6591234567",
        "6591234567",
        "006591234567",
        "  +65 9123 4567 ",
        "+65-9123-4567",
        "(65) 9123.4567",
        "\u202a+65 9123 4567\u202c",
        "+65９１２３４５６７",  # noqa: RUF001 - other scripts' digits are the point
        "\N{FULLWIDTH PLUS SIGN}６５９１２３４５６７",  # noqa: RUF001 - other scripts' digits are the point
        "٠٠٦٥٩١٢٣٤٥٦٧",
        "+६५ ९१२३ ४५६७",
    ],
)
def test_one_number_has_one_form_however_it_is_typed(raw: str) -> None:
    assert normalise_international(raw) == "+6591234567"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("+971٥٠١٢٣٤٥٦٧", "+971501234567"),  # noqa: RUF001 - other scripts' digits are the point
        ("+44 (0)20 7946 0018", "+442079460018"),
        ("+39 06 1234 5678", "+390612345678"),
        ("+1 555 555 0100", "+15555550100"),
        ("+54 9 11 2345 6789", "+5491123456789"),
    ],
)
def test_national_habits_come_out_right(raw: str, expected: str) -> None:
    assert normalise_international(raw) == expected


@pytest.mark.slow
@SLOW_AT_FIRST
@given(COUNTRIES, st.text("0123456789 -()", min_size=4, max_size=16))
def test_the_normal_form_of_a_normal_form_is_itself(country: int, national: str) -> None:
    phone = accepted(f"+{country} {national}")

    assert normalise(phone) == phone
    assert normalise_international(phone.removeprefix("+")) == phone
    assert (
        normalise(phone.replace("+", "00"))
        == normalise_international(phone.replace("+", "00"))
        == phone
    )
    assert phone.startswith("+")
    assert phone[1:].isascii()
    assert phone[1:].isdecimal()


@SLOW_AT_FIRST
@given(st.text(max_size=80))
def test_any_text_is_normalised_or_refused_with_a_sentence(raw: str) -> None:
    try:
        phone = normalise(raw)
    except ValueError as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017 - a few texts are numbers
    else:
        assert normalise(phone) == phone


@pytest.mark.parametrize(
    "raw",
    [
        "",
        " ",
        "+",
        "00",
        "abc",
        "+65",
        "+651",
        "+65 9123",
        "+999123456789",
        "91234567" * 20,
        "+0065 9123 4567",
        "+27 00 777 0019",
        "call +65 9123 4567",
        "+65 9123 4567 / 9123 4568",
    ],
)
def test_what_is_no_number_is_refused(raw: str) -> None:
    for read in (normalise, normalise_international):
        with pytest.raises(ValueError, match="country code"):
            read(raw)
    with pytest.raises(ValueError, match="country code"):
        normalise(raw, "SG")


@pytest.mark.parametrize(
    ("raw", "country", "expected"),
    [
        ("98765432", "SG", "+6598765432"),
        ("6598765432", "SG", "+6598765432"),
        ("030 901820", "DE", "+4930901820"),
        ("(0) 30 901820", "DE", "+4930901820"),
        ("(212) 555-0100", "US", "+12125550100"),
        ("06 1234 5678", "IT", "+390612345678"),
        ("011 15-2345-6789", "AR", "+5491123456789"),
        ("٩٨٧٦٥٤٣٢", "SG", "+6598765432"),
        ("+49 30 901820", "SG", "+4930901820"),
        ("0049 30 901820", "SG", "+4930901820"),
        ("0049 30 901820", "US", "+4930901820"),
    ],
)
def test_a_national_number_is_read_in_its_country(raw: str, country: str, expected: str) -> None:
    assert normalise(raw, country) == expected


@pytest.mark.parametrize("raw", ["98765432", "(030) 901820", "6591234567", "٩٨٧٦٥٤٣٢"])
def test_without_a_country_a_national_number_is_refused(raw: str) -> None:
    assert is_national(raw)
    with pytest.raises(ValueError, match="set the company's country"):
        normalise(raw)


@SLOW_AT_FIRST
@given(st.text("0123456789 -()", max_size=16), st.sampled_from(["SG", "DE", "US", "BR", "IT"]))
def test_a_number_that_is_read_in_a_country_is_one_everywhere(raw: str, country: str) -> None:
    try:
        phone = normalise(raw, country)
    except ValueError:
        return
    assert normalise(phone) == normalise(phone, "JP") == normalise_international(phone) == phone


@pytest.mark.parametrize(
    ("phone", "expected"),
    [
        ("+6591234567", "SG"),
        ("+4930901820", "DE"),
        ("+12042345678", "CA"),
        ("+15555550100", "US"),
        ("+77012345678", "KZ"),
        ("+88213012345", "001"),
    ],
)
def test_a_number_has_a_country(phone: str, expected: str) -> None:
    assert find_country(phone) == expected


@pytest.mark.parametrize("raw", ["+1 650 253 0000 ext. 12", "+6591234567;ext=3", "+16502530000#9"])
def test_an_extension_is_refused(raw: str) -> None:
    with pytest.raises(ValueError, match="extension"):
        normalise(raw)


@pytest.mark.parametrize(
    ("phone", "expected"),
    [
        ("+6591234567", "+65•••4567"),
        ("+15555550100", "+1•••0100"),
        ("+971501234567", "+971•••4567"),
        ("+6834000", "+683•••00"),
        ("closed", "•••sed"),
        ("", "•••"),
    ],
)
def test_a_masked_number_shows_its_country_and_its_end(phone: str, expected: str) -> None:
    assert mask(phone) == expected


def test_the_tables_are_not_loaded_before_a_number_is_read() -> None:
    code = "import sys, pannier.kit.phone; sys.exit('phonenumbers' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
