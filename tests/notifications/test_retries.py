"""When messages are tried again, and what is said of a failure."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.notifications import failures, retries

SENTENCES = st.text(min_size=8).filter(lambda text: text.strip() != "")


@pytest.mark.parametrize(("attempts", "seconds"), [(1, 10), (2, 60), (3, 300), (4, 1800)])
def test_the_delays_are_ten_seconds_one_minute_five_and_thirty(attempts: int, seconds: int) -> None:
    assert retries.find_next_delay(attempts) == timedelta(seconds=seconds)


@given(st.integers(min_value=5, max_value=1000))
def test_after_five_attempts_there_is_no_other(attempts: int) -> None:
    assert retries.find_next_delay(attempts) is None


@given(st.integers(min_value=0, max_value=999_999), st.text(), st.text())
def test_no_failure_repeats_the_code_a_message_carries(
    number: int, before: str, after: str
) -> None:
    code = f"{number:06}"
    said = f"{code} is your code."
    failure = ValueError(f"{before} {code} {after} {said}")
    assert code not in failures.describe_failure(failure, said)


def test_no_failure_repeats_a_text_however_it_is_wrapped() -> None:
    failure = ValueError("could not send 'Dear\n Ada,\n\nhello'")
    assert failures.describe_failure(failure, "Dear Ada, hello") == "could not send '…'"


def test_a_providers_own_numbers_are_told() -> None:
    assert failures.describe_failure(ValueError("error=422."), "4 parcels") == "error=422."


def test_a_providers_password_is_not_told() -> None:
    failure = ValueError("mailtos://me:hunter2@mail.example.com refused")
    assert "hunter2" not in failures.describe_failure(failure, "Hello")


@given(st.text(max_size=5000))
def test_what_is_said_of_a_failure_is_never_long_nor_empty(text: str) -> None:
    said = failures.describe_failure(RuntimeError(text), "Hello there")
    assert 0 < len(said) <= failures.MAX_ERROR_LENGTH
