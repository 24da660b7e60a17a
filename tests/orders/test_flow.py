"""From any flow, any sequence of moves leaves the order where the flow allows it to be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from orders.flows import CODES, RETURNED, flows
from pannier.orders import flow, flow_faults
from pannier.orders.activities import Activity
from pannier.orders.default_flow import DEFAULT
from pannier.orders.flow import IllegalMove, Progress


@given(flows())
def test_a_right_flow_has_no_faults_and_begins_with_the_head(activities: list[Activity]) -> None:
    assert flow_faults.find_faults(activities) == []
    whole = flow.prepend_head(activities)
    assert list(whole)[:3] == ["created", "dispatched", "started"]
    assert flow.prepend_head(list(whole.values())) == whole


@pytest.mark.parametrize(
    ("activities", "fault"),
    [
        ([], "at least one activity"),
        ([{"code": "a", "next": ["b"]}, {"code": "c", "complete": True}], "leads to b"),
        ([{"code": "a"}], "No activity completes"),
        ([{"code": "a", "complete": True, "require_pod": True}], "has no pod_method"),
        ([{"code": "a", "complete": True}, {"code": "a", "complete": True}], "is used twice"),
        ([{"code": "a", "complete": True, "next": ["a"]}], "no activity can follow"),
        ([{"code": "A b", "complete": True}], "is not a valid code"),
        ([{"code": "done\n", "complete": True}], "is not a valid code"),
        ([{"code": "done", "complete": True, "details": "x" * 2001}], "2000 characters"),
        ([{"code": "on", "next": ["on"] * 101}, {"code": "done", "complete": True}], "100 activit"),
        ([{"code": "done", "complete": True, "events": ["x"] * 51}], "50 events"),
        ([{"code": "canceled", "complete": True}], "not an activity"),
        ([{"code": "returned", "complete": True}], "built-in code"),
        ([{"code": "a", "next": ["created"]}, {"code": "b", "complete": True}], "leads to created"),
        (
            [
                {"code": "a", "complete": True},
                {"code": "b", "next": ["c"]},
                {"code": "c", "next": ["b"]},
            ],
            "cannot be reached",
        ),
        (
            [{"code": "a", "next": ["b", "z"]}, {"code": "b"}, {"code": "z", "complete": True}],
            "b leads to no completing",
        ),
    ],
)
def test_each_fault_of_a_flow_is_a_sentence(activities: list[dict[str, Any]], fault: str) -> None:
    given_ = [Activity(**{**a, "next": tuple(a.get("next", ()))}) for a in activities]
    found = flow_faults.find_faults(given_)
    assert any(fault in one.message for one in found), found
    assert all(one.message.endswith(".") for one in found)


def test_what_goes_back_is_on_the_van_though_the_last_stops_own_activity_is_called_returned() -> (
    None
):
    own = {"returned": Activity(code="returned", complete=True)}
    progress = flow.create_progress(flow.prepend_head(DEFAULT), [own, own])
    for code in ("dispatched", "started"):
        progress = flow.fire(progress, code)
    progress = flow.fire(flow.fail(progress, "return"), "returned")
    assert (progress.open, progress.is_returning, progress.status) == (True, True, "started")
    assert flow.fire(progress, "returned").status == "completed"


def test_the_default_flow_is_the_contracts() -> None:
    whole = flow.prepend_head(DEFAULT)
    progress = flow.create_progress(whole)
    walked = [progress.status]
    while progress.open:
        progress = flow.fire(progress, flow.list_next_codes(progress)[0])
        walked.append(progress.status)
    assert walked == ["created", "dispatched", "started", "enroute", "completed"]


def test_an_illegal_move_names_what_is_legal_and_changes_nothing() -> None:
    progress = flow.create_progress(flow.prepend_head(DEFAULT))
    with pytest.raises(IllegalMove, match="Possible now: dispatched") as refused:
        flow.fire(progress, "completed")
    assert refused.value.extra == {"allowed": ["dispatched"]}


def test_a_stop_that_has_begun_is_finished_before_another_is_chosen() -> None:
    whole = flow.prepend_head(DEFAULT)
    stops = [{a.code: a for a in DEFAULT if a.at is None}] * 3
    progress = flow.create_progress(whole, stops)
    for code in ("dispatched", "started"):
        progress = flow.fire(progress, code)
    progress = flow.set_destination(progress, 2)
    progress = flow.fire(progress, "enroute")
    with pytest.raises(IllegalMove, match="Finish it first"):
        flow.set_destination(progress, 1)
    progress = flow.fire(progress, "completed")
    assert (progress.status, progress.current) == ("started", 0)
    with pytest.raises(IllegalMove, match="already done"):
        flow.set_destination(progress, 2)


class Walk(RuleBasedStateMachine):
    """Somebody tries everything, legal or not."""

    progress: Progress

    @initialize(own=flows(RETURNED), subs=st.lists(flows(RETURNED), max_size=3))
    def place(self, own: list[Activity], subs: list[list[Activity]]) -> None:
        stops = [{activity.code: activity for activity in sub} for sub in subs]
        self.progress = flow.create_progress(flow.prepend_head(own), stops)

    def attempt(self, move: Any, *arguments: Any) -> None:
        before = self.progress
        try:
            self.progress = move(before, *arguments)
        except IllegalMove:
            assert self.progress is before
        else:
            assert before.open, "completed and cancelled are final"
            if self.progress.completed and self.progress.has_returns:
                assert before.is_returning, "what goes back is on the van until it is back"

    @rule(code=st.sampled_from([*CODES, RETURNED, *flow.HEAD, "nonsense"]))
    def fire(self, code: str) -> None:
        legal = code in flow.list_next_codes(self.progress)
        before = self.progress
        self.attempt(flow.fire, code)
        assert (self.progress is not before) == legal

    @rule(choice=st.integers(0, 5))
    def go_on(self, choice: int) -> None:
        if allowed := flow.list_next_codes(self.progress):
            self.attempt(flow.fire, allowed[choice % len(allowed)])

    @rule()
    def finish(self) -> None:
        try:
            code = flow.get_completing_code(self.progress)
        except IllegalMove:
            return
        self.attempt(flow.fire, code)
        assert not self.progress.open

    @rule(number=st.integers(-1, 4))
    def head_for(self, number: int) -> None:
        self.attempt(flow.set_destination, number)

    @rule(then=st.sampled_from(["retry", "retry", "hold", "return"]))
    def fail(self, then: flow.AttemptOutcome) -> None:
        before = self.progress
        self.attempt(flow.fail, then)
        if self.progress is before:
            return
        assert self.progress.activity == "started"
        assert self.progress.open, "giving up ends nothing"
        if before.current is None:
            assert self.progress.undelivered == (None if then == "retry" else then)
            return
        stop = self.progress.stops[before.current]
        assert (stop.activity, stop.done, stop.is_reachable) == (
            None,
            then == "return",
            then == "retry",
        )
        others = [
            n for n, other in enumerate(before.stops) if other.is_reachable and n != before.current
        ]
        assert (
            (self.progress.current in others) if others else self.progress.current == before.current
        )

    @rule(number=st.integers(0, 2), then=st.sampled_from(["retry", "return"]))
    def decide(self, number: int, then: flow.Decision) -> None:
        stops = self.progress.stops
        chosen = number % len(stops) if stops else None
        self.attempt(flow.decide, chosen, then)

    @rule(sure=st.integers(0, 9))
    def cancel(self, sure: int) -> None:
        if sure == 0:
            self.attempt(flow.cancel)

    @invariant()
    def stands_where_the_flow_allows(self) -> None:
        if not hasattr(self, "progress"):
            return
        progress = self.progress
        known = {*progress.flow, *(code for stop in progress.stops for code in stop.flow)}
        known |= {"returned"} if progress.has_returns else set()
        assert progress.activity in known
        assert progress.status in {*known, "completed", "canceled"}
        assert (progress.status == "completed") == (progress.completed and not progress.canceled)
        stuck = progress.outcome == "hold" and not any(stop.is_reachable for stop in progress.stops)
        assert bool(flow.list_next_codes(progress)) == (progress.open and not stuck)
        if progress.is_returning:
            assert flow.list_next_codes(progress) == ("returned",)
        if progress.completed and not progress.canceled:
            assert progress.outcome != "hold", "nothing waits when all is over"
        if progress.stops:
            assert progress.current is not None
            begun = [stop for stop in progress.stops if stop.activity and not stop.done]
            assert len(begun) <= 1
            if any(stop.activity for stop in progress.stops):
                assert progress.activity not in {"created", "dispatched"}


TestWalk = pytest.mark.slow(Walk.TestCase)
