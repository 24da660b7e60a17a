"""The numbers of one-time codes, without a database."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.accounts.company_settings.codes import Codes
from pannier.verification import rules, texts
from pannier.verification.models import Code
from pannier.web import addresses
from stage import NOON

AGES = st.lists(st.integers(min_value=0, max_value=600), max_size=12)


def sent(seconds_ago: int, life: int = 300, used_at: datetime | None = None) -> Code:
    created = NOON - timedelta(seconds=seconds_ago)
    return Code(uuid4(), uuid4(), b"", created, created + timedelta(seconds=life), used_at)


@pytest.mark.parametrize(
    ("sends", "seconds"), [(1, 30), (2, 60), (3, 120), (4, 300), (5, 300), (50, 300)]
)
def test_each_resend_waits_longer(sends: int, seconds: int) -> None:
    assert rules.compute_next_send_time(sends, NOON) == NOON + timedelta(seconds=seconds)


@given(AGES)
def test_at_most_three_codes_are_alive_and_they_are_the_newest_unexpired(ages: list[int]) -> None:
    codes = [sent(age) for age in ages]
    alive = rules.list_valid_codes(codes, NOON)
    youngest = sorted(age for age in ages if age < 300)[: rules.MAX_VALID_CODES]
    assert sorted((NOON - code.created_at).total_seconds() for code in alive) == youngest


@given(AGES)
def test_a_used_code_is_never_alive(ages: list[int]) -> None:
    assert rules.list_valid_codes([sent(age, used_at=NOON) for age in ages], NOON) == []


def test_a_code_dies_at_the_very_second_its_life_ends() -> None:
    assert rules.list_valid_codes([sent(299)], NOON)
    assert not rules.list_valid_codes([sent(300)], NOON)


@given(AGES, st.integers(min_value=0, max_value=3 * 86_400), st.booleans())
def test_a_challenge_continues_only_while_it_can_be_won(
    ages: list[int],
    age: int,
    dead: bool,  # noqa: FBT001 - hypothesis gives them by position
) -> None:
    codes = [sent(each) for each in ages]
    begun = NOON - timedelta(seconds=age)
    expected = not dead and age < 86_400 and any(each < 300 for each in ages)
    assert rules.can_continue(begun, codes, NOON, is_exhausted=dead) == expected


def test_wrong_answers_are_remembered_as_long_as_a_challenge_can_live() -> None:
    limits = Codes()
    wrong, sent = rules.get_identity_attempt_limits(limits), rules.get_identity_send_limits(limits)
    longest = rules.MAX_CHALLENGE_AGE + rules.MAX_LIFETIME
    assert rules.get_challenge_attempt_limit(limits).span >= longest
    spans = [limit.span for limit in (*wrong, *sent)]
    assert max(spans) <= rules.RETENTION


@pytest.mark.parametrize(
    "typed",
    ["123456", " 123 456 ", "123-456", "١٢٣٤٥٦", "\N{FULLWIDTH DIGIT ONE}23456", "12\u200b3456\n"],
)
def test_a_code_is_read_however_people_type_it(typed: str) -> None:
    assert rules.normalise_code(typed) == "123456"


@pytest.mark.parametrize("typed", ["", "12345", "1234567", "12345a", "0x1e240", "½23456"])
def test_anything_else_is_not_that_code(typed: str) -> None:
    assert rules.normalise_code(typed) != "123456"


@given(st.text(max_size=500))
def test_whatever_is_typed_can_be_read(text: str) -> None:
    assert len(rules.normalise_code(text)) <= 64


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_an_ipv6_neighbourhood_shares_one_allowance(address: str, network: str) -> None:
    assert addresses.get_rate_limit_network(address) == network


def test_a_message_is_one_line_with_the_code_first() -> None:
    text = texts.compose_text(
        "012345", "sign_in", brand="Acme", lifetime=timedelta(minutes=5), locale="en"
    )
    assert text == "012345 is your Acme code. It expires in 5 minutes. Do not share it."


@given(st.text(max_size=200))
def test_no_name_breaks_the_line_or_makes_a_link(brand: str) -> None:
    life = timedelta(hours=2)
    text = texts.compose_text("012345", "sign_in", brand=brand, lifetime=life, locale="en")
    assert text.startswith("012345 is your ")
    assert text.endswith(" code. It expires in 2 hours. Do not share it.")
    assert text.splitlines() == [text]
    assert "://" not in text
    assert len(text) <= 160


@pytest.mark.parametrize(
    ("brand", "shown"),
    [
        ("Acme & Sons", "Acme & Sons"),
        ("St. Mary's", "St. Mary's"),
        ("https://evil.example/x", "https evil example x"),
        ("evil.example", "evil example"),
        ("{code} {life}", "{code} {life}"),
        ("\n \t", ""),
    ],
)
def test_a_name_is_spelled_so_that_no_phone_makes_it_a_link(brand: str, shown: str) -> None:
    assert texts.sanitise_brand(brand) == shown


def test_a_subject_names_the_sender() -> None:
    assert texts.compose_subject("Acme", "en") == "Your Acme code"
    assert texts.compose_subject(" ", "de") == "Ihr Code"


@pytest.mark.parametrize(
    ("life", "spelled"),
    [
        (timedelta(minutes=1), "1 minute"),
        (timedelta(minutes=90), "90 minutes"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=2), "2 hours"),
    ],
)
def test_a_life_is_spelled_in_whole_units(life: timedelta, spelled: str) -> None:
    assert texts.format_lifetime(life, "en") == spelled
