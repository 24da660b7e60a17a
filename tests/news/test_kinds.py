"""What of all that happens is news to whoever waits for a delivery."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pannier.accounts.company_settings.news import KINDS, Kind
from pannier.events.catalog import Name
from pannier.news import kinds
from pannier.news.kinds import LIFETIMES, EventDetails, HandoverState

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
HANDOVERS = st.builds(
    HandoverState,
    waypoint=st.sampled_from([None, "waypoint_1"]),
    has_driver=st.booleans(),
    is_started=st.booleans(),
    is_next_stop=st.booleans(),
    is_done=st.booleans(),
    undelivered=st.sampled_from([None, "hold", "return"]),
    has_failed_since=st.booleans(),
    is_canceled=st.booleans(),
)
DETAILS = st.builds(
    EventDetails,
    waypoint=st.sampled_from([None, "waypoint_1", "waypoint_2"]),
    code=st.sampled_from(["failed", "enroute", "completed"]),
    complete=st.booleans(),
    changed=st.lists(st.sampled_from(["status", "attempts", "current_waypoint"])),
    attempts=st.integers(0, 2),
)
NAMES = st.sampled_from(list(Name))


@given(NAMES, DETAILS, HANDOVERS)
def test_nothing_is_told_that_is_not_so_any_more(
    name: Name, details: EventDetails, handover: HandoverState
) -> None:
    told = kinds.choose_kind(name, details, handover)
    if told in {"on_its_way", "next_stop", "could_not_be_delivered"}:
        assert not handover.is_done
    if told in {"on_its_way", "next_stop"}:
        assert not handover.is_canceled
        assert not handover.undelivered
        assert not handover.has_failed_since
    if told == "next_stop":
        assert handover.is_started
        assert handover.is_next_stop
    if told == "delivered":
        assert handover.is_done
    if told == "cancelled":
        assert handover.is_canceled
        assert handover.undelivered != "return"


@given(NAMES, DETAILS, HANDOVERS)
def test_whatever_is_told_was_worth_looking_up(
    name: Name, details: EventDetails, handover: HandoverState
) -> None:
    if kinds.choose_kind(name, details, handover) is not None:
        assert kinds.is_relevant(name, details)


@given(NAMES, DETAILS, HANDOVERS)
def test_what_happens_at_another_stop_is_not_said_to_have_happened_here(
    name: Name, details: EventDetails, handover: HandoverState
) -> None:
    if kinds.choose_kind(name, details, handover) in {"delivered", "could_not_be_delivered"}:
        assert details.waypoint == handover.waypoint


@given(st.sampled_from(KINDS), st.timedeltas(timedelta(0), timedelta(days=2)))
def test_what_is_late_is_told_as_something_that_is_still_so_or_not_at_all(
    kind: Kind, late: timedelta
) -> None:
    told = kinds.replace_outdated_kind(kind, NOON, NOON + late)
    if told is None:
        assert late >= LIFETIMES[kind]
        assert kind != "next_stop" or late >= LIFETIMES["on_its_way"]
    else:
        assert late < LIFETIMES[told]
        assert told == kind or (kind, told) == ("next_stop", "on_its_way")
