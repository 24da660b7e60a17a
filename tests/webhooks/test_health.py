"""When an endpoint has failed for so long that it is switched off."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.webhooks.health import (
    DISABLE_AFTER,
    DISABLE_MIN_FAILURES,
    count_attempts,
    should_disable,
)
from pannier.webhooks.models import Health, Outcome
from stage import NOON

WEBHOOK = UUID(int=1)
outcomes = st.sampled_from(["succeeded", "refused", "timeout", "interrupted"])


def failing(failures: int, since: timedelta | None) -> Health:
    return Health(
        webhook=WEBHOOK,
        company=WEBHOOK,
        failing_since=None if since is None else NOON - since,
        failures=failures,
        last_success_at=None,
        last_failure_at=NOON,
    )


@pytest.mark.parametrize(
    ("failures", "since", "given_up"),
    [
        (DISABLE_MIN_FAILURES, DISABLE_AFTER, True),
        (DISABLE_MIN_FAILURES - 1, DISABLE_AFTER, False),
        (DISABLE_MIN_FAILURES, DISABLE_AFTER - timedelta(seconds=1), False),
        (DISABLE_MIN_FAILURES * 10, timedelta(days=1), False),
        (0, None, False),
    ],
)
def test_it_takes_five_days_and_twenty_failures(
    failures: int, since: timedelta | None, *, given_up: bool
) -> None:
    assert should_disable(failing(failures, since)) is given_up


@pytest.mark.slow
@given(st.lists(outcomes))
def test_failures_count_from_the_last_success_on(outcomes: list[Outcome]) -> None:
    ended: list[tuple[datetime, Outcome]] = [
        (NOON + timedelta(seconds=second), outcome) for second, outcome in enumerate(outcomes)
    ]
    tally = count_attempts(WEBHOOK, ended)
    successes = [moment for moment, outcome in ended if outcome == "succeeded"]
    last = successes[-1] if successes else NOON - timedelta(seconds=1)
    failures = [
        moment
        for moment, outcome in ended
        if outcome not in {"succeeded", "interrupted"} and moment > last
    ]
    assert tally.failures == len(failures)
    assert tally.failing_since == (failures[0] if failures else None)
    assert tally.succeeded_at == (successes[-1] if successes else None)
