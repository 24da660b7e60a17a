"""Stretches: the period of a device that the rules evaluate next, and the rest after it.

Usually that is everything after the head. Late positions are folded in from the node before them to
the next node. If the state there is unchanged, the results after it are still valid.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.devices.checkpoints import HeadNode, Node
from pannier.devices.rules.fixes import Fix
from pannier.devices.rules.fold import RuleState

# The resolution of the database's clock.
CLOCK_TICK: Final = timedelta(microseconds=1)


class ClaimedDevice(msgspec.Struct, frozen=True):
    """A device that is being evaluated."""

    uuid: UUID
    company: UUID
    number: int
    public_id: str


class BacklogRow(msgspec.Struct, frozen=True):
    """A period with positions of a device that were not evaluated yet."""

    device: UUID
    position: int
    since: datetime
    until: datetime


class EvaluationStretch(msgspec.Struct, frozen=True):
    """A period from a node to the next one, or to the end of the new positions."""

    line: ClaimedDevice
    head: HeadNode
    start: Node
    end: datetime
    # The end of the new positions, and the backlog rows that they come from.
    until: datetime
    rows: list[int]
    # The former node at the end, if there is one, and whether it is both head and checkpoint.
    former_node: Node | None = None
    is_head_checkpoint: bool = False

    @property
    def is_late(self) -> bool:
        """Whether the period lies before the head, so that results for it may exist."""
        return self.start is not self.head


class StretchOutcome(msgspec.Struct):
    """The states to save after a stretch, and the period that is left."""

    reached: datetime
    head: HeadNode | None = None
    checkpoint: Node | None = None
    left: tuple[datetime, datetime] | None = None


def continue_from_head(
    line: ClaimedDevice, head: HeadNode, backlog: Sequence[BacklogRow]
) -> EvaluationStretch:
    """Build the stretch that continues from the head."""
    rows = [row for row in backlog if row.since > head.at]
    until = max(row.until for row in rows)
    return EvaluationStretch(line, head, head, until, until, [row.position for row in rows])


def start_before_late_positions(
    line: ClaimedDevice,
    head: HeadNode,
    before: Node,
    after: Node | None,
    backlog: Sequence[BacklogRow],
) -> EvaluationStretch:
    """Build the stretch from the node before the earliest late position to the next node.

    It ends early where the late positions end, because the next ones are likely to continue there.
    """
    end = head if after is None or after.at >= head.at else after
    rows = [row for row in backlog if row.since <= end.at]
    until = max(row.until for row in rows)
    resting = before.at + CLOCK_TICK < until < end.at
    positions = [row.position for row in rows]
    if resting:
        return EvaluationStretch(line, head, before, until, until, positions)
    twice = after is not None and after.at == head.at
    return EvaluationStretch(line, head, before, end.at, until, positions, end, twice)


def outcome(
    stretch: EvaluationStretch,
    fixes: Sequence[Fix],
    state: RuleState,
    *,
    may_have_more: bool,
    every: int,
) -> StretchOutcome:
    """Return the states to save and the rest to do.

    With `may_have_more`, further positions may follow the given ones.
    """
    cut = may_have_more and fixes[-1].at < stretch.end
    processed_until = fixes[-1].at if cut else stretch.end
    if not stretch.is_late:
        return _continue_outcome(stretch, fixes, state, processed_until, every)
    if cut or stretch.former_node is None:
        return StretchOutcome(
            processed_until,
            None,
            Node(processed_until, state),
            _remaining_period(processed_until, stretch.until),
        )
    return _compare_with_former(stretch, stretch.former_node, state)


def _continue_outcome(
    stretch: EvaluationStretch,
    fixes: Sequence[Fix],
    state: RuleState,
    processed_until: datetime,
    every: int,
) -> StretchOutcome:
    remaining = (
        _remaining_period(processed_until, stretch.until)
        if processed_until < stretch.until
        else None
    )
    if not fixes:
        return StretchOutcome(processed_until, left=remaining)
    at, positions = fixes[-1].at, stretch.head.positions + len(fixes)
    if positions < every:
        return StretchOutcome(processed_until, HeadNode(at, state, positions), None, remaining)
    return StretchOutcome(processed_until, HeadNode(at, state), Node(at, state), remaining)


def _compare_with_former(
    stretch: EvaluationStretch, former: Node, state: RuleState
) -> StretchOutcome:
    """Compare the new state with the former state at the same node."""
    has_changed, processed_until = state != former.state, former.at
    if former is stretch.head:
        head = HeadNode(processed_until, state, stretch.head.positions) if has_changed else None
        # Head and checkpoint must stay equal, because late positions after it start from the
        # checkpoint.
        checkpoint = (
            Node(processed_until, state) if has_changed and stretch.is_head_checkpoint else None
        )
        remaining = (
            _remaining_period(processed_until, stretch.until)
            if processed_until < stretch.until
            else None
        )
        return StretchOutcome(processed_until, head, checkpoint, remaining)
    remaining = (
        _remaining_period(processed_until, stretch.until)
        if has_changed or processed_until < stretch.until
        else None
    )
    return StretchOutcome(
        processed_until, None, Node(processed_until, state) if has_changed else None, remaining
    )


def _remaining_period(processed_until: datetime, until: datetime) -> tuple[datetime, datetime]:
    return processed_until + CLOCK_TICK, max(until, processed_until + CLOCK_TICK)
