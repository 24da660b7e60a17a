"""Rules of dates: every bounded rule has the days that the reference implementation gives."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice, pairwise
from time import process_time
from zoneinfo import ZoneInfo

import pytest
from dateutil import rrule
from hypothesis import given
from hypothesis import strategies as st

from pannier.orders.duplicates import copying
from pannier.orders.recurring import days, rules
from pannier.orders.recurring.rules import DateRule

STARTS = st.dates(date(2024, 1, 1), date(2030, 12, 31))
WEEKDAYS = st.frozensets(st.integers(0, 6), max_size=7)


@st.composite
def drawn_rules(draw: st.DrawFn) -> DateRule:
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY"]))
    ordinals = st.just(0)
    if frequency == "MONTHLY" and draw(st.booleans()):
        ordinals = st.sampled_from([1, 2, 5, -1])
    weekdays = {(draw(ordinals), day) for day in draw(WEEKDAYS)}
    month_days: set[int] = set()
    if frequency != "WEEKLY":
        month_days = draw(st.sets(st.sampled_from([1, 15, 29, 30, 31, -1, -2]), max_size=3))
    return DateRule(
        frequency=frequency, interval=draw(st.integers(1, rules.MAX_INTERVAL[frequency])),
        weekdays=tuple(sorted(weekdays)), month_days=tuple(sorted(month_days)),
        count=draw(st.none() | st.integers(1, 20)),
    )  # fmt: skip


def count_days(rule: DateRule, start: date, last: date) -> list[date]:
    """List a rule's days with the reference implementation of RFC 5545's rules."""
    reference = rrule.rrule(
        {"DAILY": rrule.DAILY, "WEEKLY": rrule.WEEKLY, "MONTHLY": rrule.MONTHLY}[rule.frequency],
        dtstart=datetime.combine(start, time()),
        interval=rule.interval,
        byweekday=[rrule.weekday(day, number or None) for number, day in rule.weekdays] or None,
        bymonthday=rule.month_days or None,
        until=datetime.combine(last, time()),
    )
    return [moment.date() for moment in islice(reference, rule.count)]


@given(rule=drawn_rules(), start=STARTS, later=st.integers(0, 900))
def test_a_rule_has_the_days_of_the_reference_implementation(
    rule: DateRule, start: date, later: int
) -> None:
    earliest, last = start + timedelta(days=later), start + timedelta(days=1500)
    counted = count_days(rule, start, last)
    found = [day for day in rules.iterate_days(rule, start, earliest) if day <= last]
    assert found == [day for day in counted if day >= earliest]


@given(rule=drawn_rules(), until=st.none() | STARTS)
def test_a_rule_reads_as_it_is_written(rule: DateRule, until: date | None) -> None:
    if rule.count is None:
        rule = DateRule(**{name: getattr(rule, name) for name in rule.__struct_fields__
                           if name != "until"}, until=until)  # fmt: skip
    assert rules.parse_rule(rules.format_rule(rule)) == rule
    assert rules.describe_rule(rule).startswith("Every ")


@given(rule=drawn_rules(), start=STARTS)
def test_a_search_ends_even_if_no_day_matches(rule: DateRule, start: date) -> None:
    found = rules.list_days(rule, start, start, 10_000)
    assert len(found) <= rules.SEARCHED_DAYS + 1
    assert all(day <= start + timedelta(days=rules.SEARCHED_DAYS) for day in found)
    last = date(2100, 12, 31)
    assert all(day <= last for day in rules.list_days(rule, last, last, 10))


@pytest.mark.parametrize("end", ["", ";COUNT=1"])
@pytest.mark.parametrize("rule", ["FREQ=DAILY;INTERVAL=7;BYDAY=TU",
                                  "FREQ=MONTHLY;BYDAY=5MO;BYMONTHDAY=1"])  # fmt: skip
def test_a_rule_without_days_does_not_hold_up_the_process(rule: str, end: str) -> None:
    """A search up to the year 9999 would take seconds, in which nobody else is served."""
    began_at, thursday = process_time(), date(2026, 2, 19)
    assert rules.list_days(rules.parse_rule(rule + end), thursday, thursday, 1) == []
    assert process_time() - began_at < 0.2


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/New_York", "Asia/Singapore",
                                  "Africa/Cairo", "Australia/Lord_Howe"])  # fmt: skip
@given(start=STARTS, minute=st.integers(0, 24 * 60 - 1), lead=st.integers(0, 30))
def test_times_of_day_stay_when_the_clocks_change(
    name: str, start: date, minute: int, lead: int
) -> None:
    zone = ZoneInfo(name)
    local = datetime.combine(start, datetime.min.time()) + timedelta(minutes=minute)
    body = {"scheduled_at": local.isoformat(), "payload": {"pickup": "p", "dropoff": "d"}}
    dues = []
    for day in rules.list_days(rules.parse_rule("FREQ=DAILY"), start, start, 366):
        made = copying.make_request(body, day, zone).scheduled_at
        assert made is not None
        back = made.astimezone(zone)
        # A time that the clocks skip is moved past the gap; every other stays as it is.
        skipped = back.replace(tzinfo=None) - datetime.combine(day, local.time())
        assert timedelta(0) <= skipped <= timedelta(hours=1)
        dues.append(days.to_due_time(day, lead, zone))
        assert dues[-1] <= made
    assert all(timedelta(hours=22) < after - before < timedelta(hours=26)
               for before, after in pairwise(dues))  # fmt: skip
    assert all(due.tzinfo == UTC for due in dues)
