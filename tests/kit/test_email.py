import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pannier.kit.email import key, mask, normalise

# The first example loads the library and its tables.
SLOW_AT_FIRST = settings(deadline=None)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("mei@example.com", "mei@example.com"),
        ("  Mei.Tan+shop@Example.COM ", "Mei.Tan+shop@example.com"),
        ("mei@shop.test", "mei@shop.test"),
        ("mei@example.test", "mei@example.test"),
        ("mei@xn--bcher-kva.example", "mei@bücher.example"),
        ("mei@BÜCHER.example", "mei@bücher.example"),
        ("jose\u0301@example.com", "josé@example.com"),
    ],
)
def test_an_address_has_one_form(raw: str, expected: str) -> None:
    assert normalise(raw) == expected
    assert normalise(expected) == expected


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "mei",
        "@example.com",
        "mei@",
        "mei@localhost",
        "mei@[127.0.0.1]",
        "Mei <mei@example.com>",
        "mei tan@example.com",
        "mei..tan@example.com",
        "mei@example..com",
        "mei@exa\nmple.com",
        "mei@example.com\0",
        "a@b@example.com",
        "\ud800@example.com",
        '"mei tan"@example.com',
        "a" * 65 + "@example.com",
        "mei@" + "a." * 200 + "com",
    ],
)
def test_what_is_no_address_is_refused_with_a_sentence(raw: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        normalise(raw)


@pytest.mark.slow
@SLOW_AT_FIRST
@given(st.text(max_size=30), st.sampled_from(["example.com", "Shop.TEST", "bücher.example"]))
def test_any_text_is_normalised_or_refused_with_a_sentence(local: str, domain: str) -> None:
    try:
        address = normalise(f"{local}@{domain}")
    except ValueError as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017 - some texts are addresses
    else:
        assert normalise(address) == address
        assert len(address) <= 254


def test_capitals_do_not_make_another_address_but_dots_and_tags_do() -> None:
    assert key("Mei.Tan@example.com") == key("mei.tan@EXAMPLE.com")
    assert key("STRAẞE@example.com") == key("straße@example.com")
    assert key("straße@example.com") != key("strasse@example.com")
    assert key("\N{LATIN SMALL LETTER LONG S}am@example.com") != key("sam@example.com")
    assert key("mei.tan@example.com") != key("meitan@example.com")
    assert key("mei+a@example.com") != key("mei+b@example.com")


@SLOW_AT_FIRST
@given(st.text(max_size=20))
def test_the_key_of_a_key_is_itself(text: str) -> None:
    assert key(key(text)) == key(text)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("mei@example.com", "m•••@example.com"),
        ("m@example.com", "•••@example.com"),
        ("nonsense", "•••@nonsense"),
    ],
)
def test_a_masked_address_shows_its_domain(address: str, expected: str) -> None:
    assert mask(address) == expected


def test_the_validator_is_not_loaded_before_an_address_is_read() -> None:
    code = "import sys, pannier.kit.email; sys.exit('email_validator' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
