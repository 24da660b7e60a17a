import asyncio
import unicodedata
from collections.abc import Iterator

import pytest
from argon2 import extract_parameters
from hypothesis import given
from hypothesis import strategies as st

from pannier.kit.passwords import Passwords, check_policy

GOOD = "correct horse battery"


@pytest.fixture
def cheap() -> Iterator[Passwords]:
    passwords = Passwords(memory_kib=8, passes=1)
    yield passwords
    passwords.close()


async def test_only_the_right_password_matches(cheap: Passwords) -> None:
    kept = await cheap.hash(GOOD)

    assert await cheap.verify(kept, GOOD)
    assert not await cheap.verify(kept, GOOD + " ")
    assert not await cheap.verify(kept, "")
    assert GOOD not in kept
    assert await cheap.hash(GOOD) != kept


async def test_a_password_matches_however_a_keyboard_composes_it(cheap: Passwords) -> None:
    kept = await cheap.hash("\N{FULLWIDTH LATIN CAPITAL LETTER C}afé au lait")

    assert await cheap.verify(kept, "Cafe\u0301 au lait")


@pytest.mark.parametrize("password", ["", "\0" * 9, "\ud800", "é" * 5000, "\u0301" * 100_000])
async def test_any_text_is_answered(cheap: Passwords, password: str) -> None:
    assert not await cheap.verify(await cheap.hash(GOOD), password)
    assert not await cheap.verify(None, password)


async def test_a_hash_that_cannot_be_read_matches_nothing(cheap: Passwords) -> None:
    assert not await cheap.verify("nonsense", GOOD)
    assert not await cheap.verify("$argon2id$v=19$m=8,t=1,p=1$!$!", GOOD)


async def test_nobody_costs_as_much_as_somebody() -> None:
    passwords = Passwords(memory_kib=4096, passes=3)
    kept = await passwords.hash(GOOD)
    # The same parameters are the same work: memory, passes, lanes, lengths of salt and hash.
    assert extract_parameters(passwords.unmatchable_hash) == extract_parameters(kept)
    assert not await passwords.verify(None, GOOD)
    passwords.close()


async def test_the_usual_cost_is_the_one_decided() -> None:
    passwords = Passwords()
    kept = extract_parameters(await passwords.hash(GOOD))

    assert (kept.type.name, kept.memory_cost, kept.time_cost, kept.parallelism) == (
        "ID",
        19_456,
        2,
        1,
    )
    assert (kept.salt_len, kept.hash_len) == (16, 32)
    passwords.close()


async def test_a_hash_of_another_cost_is_renewed(cheap: Passwords) -> None:
    dearer = Passwords(memory_kib=16, passes=1)
    kept = await cheap.hash(GOOD)

    assert await cheap.rehash(kept, GOOD) is None
    assert await dearer.verify(kept, GOOD)
    renewed = await dearer.rehash(kept, GOOD)
    assert renewed is not None
    assert await dearer.rehash(renewed, GOOD) is None
    assert await dearer.verify(renewed, GOOD)
    dearer.close()


async def test_the_event_loop_goes_on_while_hashes_are_made() -> None:
    passwords = Passwords(memory_kib=8192, passes=4, threads=1)
    work = asyncio.gather(*(passwords.hash(GOOD) for _ in range(3)))
    turns = 0
    while not work.done():
        await asyncio.sleep(0)
        turns += 1

    assert turns > 10
    await work
    passwords.close()


@given(st.text(max_size=300))
def test_a_password_is_accepted_in_its_normal_form_or_refused(password: str) -> None:
    try:
        accepted = check_policy(password)
    except ValueError as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017 - long texts are accepted
    else:
        assert accepted == unicodedata.normalize("NFKC", password)
        assert 8 <= len(accepted) <= 256
        assert check_policy(accepted) == accepted


def test_length_is_counted_after_normalising() -> None:
    assert check_policy("e\u0301x" * 128) == "éx" * 128
    with pytest.raises(ValueError, match="8 to 256"):
        check_policy("aábc123")
    with pytest.raises(ValueError, match="8 to 256"):
        check_policy("abe\u0301cde\u0301")
    with pytest.raises(ValueError, match="8 to 256"):
        check_policy("ab" * 128 + "c")
    with pytest.raises(ValueError, match="at most 256"):
        check_policy("a\u0301" * 100_000)


@pytest.mark.parametrize(
    "password",
    [
        "12345678",
        "password",
        "PassWord1",
        "P@ssw0rd",
        "\N{FULLWIDTH LATIN SMALL LETTER P}assword",
        "aaaaaaaaaa",
    ],
)
def test_what_anyone_would_try_first_is_refused(password: str) -> None:
    with pytest.raises(ValueError, match="too common"):
        check_policy(password)


@pytest.mark.parametrize("password", ["meilin.tan", "MeiLin.Tan", "Corner Bakery"])
def test_a_word_about_the_person_or_the_store_is_refused(password: str) -> None:
    with pytest.raises(ValueError, match="must not be your name"):
        check_policy(password, context=["meilin.tan", "Mei Lin", "", " Corner Bakery "])


def test_a_password_that_only_contains_such_a_word_is_accepted() -> None:
    password = "meilin.tan likes trams"

    assert check_policy(password, context=["meilin.tan"]) == password
