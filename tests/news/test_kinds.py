"""What of all that happens is news to whoever waits for a delivery."""

from hypothesis import given
from hypothesis import strategies as st

from pannier.events.catalog import Name
from pannier.news import kinds
from pannier.news.kinds import Handover, Heard

HANDOVERS = st.builds(
    Handover,
    waypoint=st.sampled_from([None, "waypoint_1"]),
    driver=st.booleans(),
    started=st.booleans(),
    present=st.booleans(),
    done=st.booleans(),
    undelivered=st.sampled_from([None, "hold", "return"]),
    canceled=st.booleans(),
)
HEARD = st.builds(
    Heard,
    waypoint=st.sampled_from([None, "waypoint_1", "waypoint_2"]),
    code=st.sampled_from(["failed", "enroute", "completed"]),
    complete=st.booleans(),
    changed=st.lists(st.sampled_from(["status", "attempts", "current_waypoint"])),
    attempts=st.integers(0, 2),
)
NAMES = st.sampled_from(list(Name))


@given(NAMES, HEARD, HANDOVERS)
def test_nothing_is_told_that_is_not_so_any_more(
    name: Name, heard: Heard, handover: Handover
) -> None:
    told = kinds.news(name, heard, handover)
    if told in {"on_its_way", "next_stop", "could_not_be_delivered"}:
        assert not handover.done
    if told in {"on_its_way", "next_stop"}:
        assert not handover.canceled
        assert not handover.undelivered
    if told == "next_stop":
        assert handover.started
        assert handover.present
    if told == "delivered":
        assert handover.done
    if told == "cancelled":
        assert handover.canceled
        assert handover.undelivered != "return"


@given(NAMES, HEARD, HANDOVERS)
def test_whatever_is_told_was_worth_looking_up(
    name: Name, heard: Heard, handover: Handover
) -> None:
    if kinds.news(name, heard, handover) is not None:
        assert kinds.matters(name, heard)


@given(NAMES, HEARD, HANDOVERS)
def test_what_happens_at_another_stop_is_not_said_to_have_happened_here(
    name: Name, heard: Heard, handover: Handover
) -> None:
    if kinds.news(name, heard, handover) in {"delivered", "could_not_be_delivered"}:
        assert heard.waypoint == handover.waypoint
