"""When a delivery is tried again: after five minutes, thirty, two hours and eight, exactly."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.webhooks.models import AttemptResult
from pannier.webhooks.schedule import DELAYS, decide_next_step
from stage import NOON
from webhooks.office import answering

FIVE, THIRTY = timedelta(minutes=5), timedelta(minutes=30)
TWO_HOURS, EIGHT_HOURS = timedelta(hours=2), timedelta(hours=8)

failures = st.one_of(
    st.integers(300, 599).map(answering),
    st.sampled_from(["timeout", "dns", "connect", "tls", "blocked", "malformed"]).map(
        lambda outcome: AttemptResult(outcome=outcome)
    ),
)
moments = st.integers(0, 4_000_000_000).map(lambda second: datetime.fromtimestamp(second, UTC))


def patient(status: int, wish: str, retries: int = 0) -> timedelta:
    """Answer how long a delivery waits when its receiver asks for patience."""
    after = decide_next_step(answering(status, retry_after=wish), retries, NOON)
    return after.due_at - NOON


def test_the_four_delays_are_those_of_the_contract() -> None:
    assert DELAYS == (FIVE, THIRTY, TWO_HOURS, EIGHT_HOURS)


@given(failure=failures, ended=moments)
def test_each_failure_waits_its_own_step_from_its_own_end(
    failure: AttemptResult, ended: datetime
) -> None:
    for retries, delay in enumerate(DELAYS):
        after = decide_next_step(failure, retries, ended)
        assert after == ("pending", retries + 1, ended + delay)
    assert decide_next_step(failure, 4, ended) == ("failed", 4, ended)


@given(status=st.integers(200, 299), retries=st.integers(0, 4))
def test_every_2xx_is_a_success(status: int, retries: int) -> None:
    assert decide_next_step(answering(status), retries, NOON).state == "succeeded"


@given(retries=st.integers(0, 4))
def test_an_interrupted_attempt_is_due_at_once_and_costs_no_retry(retries: int) -> None:
    after = decide_next_step(AttemptResult(outcome="interrupted"), retries, NOON)
    assert after == ("pending", retries, NOON)


def test_a_stale_connection_is_forgiven_once() -> None:
    stale = AttemptResult(outcome="disconnected", stale=True)
    assert decide_next_step(stale, 0, NOON) == ("pending", 0, NOON)
    assert decide_next_step(stale, 0, NOON, is_second_try=True) == ("pending", 1, NOON + FIVE)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("wish", "waits"),
    [
        ("60", FIVE),
        ("600", timedelta(minutes=10)),
        ("86400", THIRTY),
        ("9" * 400, THIRTY),
        (format_datetime(NOON + timedelta(minutes=20), usegmt=True), timedelta(minutes=20)),
        (format_datetime(NOON - timedelta(hours=1), usegmt=True), FIVE),
        ("soon", FIVE),
        ("-5", FIVE),
        ("", FIVE),
        ("٣٠٠٠", FIVE),
    ],
)
def test_retry_after_lengthens_a_step_up_to_the_next_one(
    status: int, wish: str, waits: timedelta
) -> None:
    assert patient(status, wish) == waits


@pytest.mark.parametrize("status", [500, 502, 400, 404, 302])
def test_retry_after_of_other_answers_is_not_heeded(status: int) -> None:
    assert patient(status, "600") == FIVE


def test_the_last_step_is_never_lengthened() -> None:
    assert patient(429, "999999", retries=3) == EIGHT_HOURS


@given(wish=st.text(max_size=40), retries=st.integers(0, 3), status=st.sampled_from([429, 503]))
def test_whatever_a_receiver_asks_for_the_step_is_kept_within_its_bounds(
    wish: str, retries: int, status: int
) -> None:
    waits = patient(status, wish, retries)
    assert DELAYS[retries] <= waits <= DELAYS[min(retries + 1, 3)]
