"""The health of webhooks: attempts by the day of their events, and the time until they succeed."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.seat import Seat
from pannier.db import Database
from pannier.reports import histogram
from pannier.webhooks import sweep
from pannier.webhooks.models import AttemptResult
from reports.test_reports import TODAY, by_day, next_day, read, work
from stage import Firm
from webhooks.office import Office, Request, answering

FIGURES = ("deliveries", "attempts", "succeeded", "success_share", "disabled")


async def delivered(firm: Firm, *seconds: float) -> Office:
    """Deliver events to an endpoint that takes so long to answer, the first time with an error."""
    office = Office.of(firm)
    await office.register()
    answers = iter([500, *[200] * len(seconds)])
    waits = iter([0.0, *seconds])

    def answer(_: Request) -> AttemptResult:
        firm.house.clock.advance(seconds=next(waits))
        return answering(next(answers))

    office.receivers.answer = answer
    for number in range(len(seconds)):
        await office.tell(subject=f"order_{number}")
        await office.work()
    firm.house.clock.advance(minutes=10)
    await office.work()
    return office


async def test_deliveries_count_on_the_day_of_their_events_whenever_they_succeed(
    acme: Firm,
) -> None:
    house = acme.house
    office = Office.of(acme)
    await office.register()
    office.receivers.answer = lambda _: answering(500)
    await work(house)
    house.clock.advance(hours=11, minutes=59)
    await office.tell()
    await office.work()
    assert await by_day(acme, "webhooks", *FIGURES) == {TODAY: [1, 1, 0, 0.0, 0]}
    office.receivers.answer = lambda _: answering(200)
    house.clock.advance(minutes=10)
    await office.work()
    assert await by_day(acme, "webhooks", *FIGURES) == {TODAY: [1, 2, 1, 50.0, 0]}
    await next_day(house)
    assert await by_day(acme, "webhooks", *FIGURES) == {TODAY: [1, 2, 1, 50.0, 0]}


async def test_delays_are_added_up_before_a_share_is_looked_up(acme: Firm) -> None:
    await delivered(acme, *[1.0] * 9, 400.0)
    figures = ("attempts", "median_delay", "p95_delay")
    found = (await by_day(acme, "webhooks", *figures))[TODAY]
    # One in ten took minutes: the retry of the first.
    assert found == [11, pytest.approx(1000, rel=0.1), pytest.approx(1_009_000, rel=0.1)]
    await next_day(acme.house)
    assert (await by_day(acme, "webhooks", *figures))[TODAY] == found
    totals = (await read(acme, "webhooks", "by=month"))["totals"]
    assert [totals[0]["figures"][name] for name in figures] == found
    text = (await acme.admin.get(f"/int/v1/reports/webhooks/csv?to={TODAY}")).text
    assert text.splitlines()[0].endswith("median_delay_seconds,p95_delay_seconds,disabled")
    page = await (await Seat.of(acme, "viewer")).open(f"/console/reports/webhooks?to={TODAY}")
    assert [cell.split()[-1] for cell in page.rows()[-1][-3:-1]] == ["s", "min"]


async def test_a_disabled_endpoint_and_a_test_event(acme: Firm, rival: Firm) -> None:
    office = Office.of(acme)
    webhook = await office.register()
    pinged = await acme.admin.post(f"/int/v1/webhooks/{webhook['id']}/ping")
    assert pinged.is_success, pinged.text
    await office.work()
    assert await by_day(acme, "webhooks", *FIGURES) == {}
    office.receivers.answer = lambda _: answering(410)
    await office.tell()
    await office.work()
    assert await by_day(acme, "webhooks", *FIGURES) == {TODAY: [1, 1, 0, 0.0, 1]}
    assert await by_day(rival, "webhooks", *FIGURES) == {}


async def test_deleted_deliveries_leave_the_figures_of_their_day(
    acme: Firm, database: Database
) -> None:
    await delivered(acme, 1.0, 1.0)
    await next_day(acme.house)
    before = await by_day(acme, "webhooks", *FIGURES, "median_delay")
    acme.house.clock.advance(days=10)
    await sweep.step(database, timedelta(days=2))
    assert await acme.house.value("select count(*) from webhook_attempts") == 0
    # Within the two weeks of which every day is checked again.
    await work(acme.house)
    assert await acme.house.value("select count(*) from report_queue") == 1
    assert await by_day(acme, "webhooks", *FIGURES, "median_delay") == before


@given(st.lists(st.lists(st.floats(0.02, 100_000), min_size=1), min_size=1))
def test_a_quantile_of_added_histograms_is_at_most_a_tenth_off(days: list[list[float]]) -> None:
    def step(seconds: float) -> int:
        return next(
            number for number in range(histogram.LAST_STEP + 1)
            if seconds <= 0.01 * 2 ** (number / 4) or number == histogram.LAST_STEP
        )  # fmt: skip

    merged = histogram.merge(histogram.build((step(seconds), 1) for seconds in day) for day in days)
    every = sorted(seconds for day in days for seconds in day)
    assert sum(merged) == len(every)
    for share in (0.5, 0.95):
        exact = every[-int(-share * len(every) // 1) - 1] * 1000
        assert histogram.find_quantile(merged, share) == pytest.approx(exact, rel=0.1)


def test_no_deliveries_have_no_delay() -> None:
    assert histogram.find_quantile([], 0.5) is None
