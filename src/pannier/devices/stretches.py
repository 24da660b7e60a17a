"""Stretches: the periods of a device that the rules evaluate next.

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
    """A period from a node to the next node, or to the end of the new positions."""

    device: ClaimedDevice
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
    """The states to save after a stretch, and the remaining period."""

    processed_until: datetime
    head: HeadNode | None = None
    checkpoint: Node | None = None
    remaining: tuple[datetime, datetime] | None = None


def continue_from_head(
    device: ClaimedDevice, head: HeadNode, backlog: Sequence[BacklogRow]
) -> EvaluationStretch:
    """Build the stretch that continues from the head."""
    rows = [row for row in backlog if row.since > head.at]
    until = max(row.until for row in rows)
    return EvaluationStretch(device, head, head, until, until, [row.position for row in rows])


def build_stretch_for_late_positions(
    device: ClaimedDevice,
    head: HeadNode,
    previous_node: Node,
    next_node: Node | None,
    backlog: Sequence[BacklogRow],
) -> EvaluationStretch:
    """Build the stretch from the node before the earliest late position to the next node.

    It ends where the late positions end, if that is earlier: others probably follow from there.
    """
    end = head if next_node is None or next_node.at >= head.at else next_node
    rows = [row for row in backlog if row.since <= end.at]
    until = max(row.until for row in rows)
    ends_early = previous_node.at + CLOCK_TICK < until < end.at
    positions = [row.position for row in rows]
    if ends_early:
        return EvaluationStretch(device, head, previous_node, until, until, positions)
    is_checkpoint = next_node is not None and next_node.at == head.at
    return EvaluationStretch(
        device, head, previous_node, end.at, until, positions, end, is_checkpoint
    )


def make_outcome(
    stretch: EvaluationStretch,
    fixes: Sequence[Fix],
    state: RuleState,
    *,
    may_have_more: bool,
    checkpoint_every: int,
) -> StretchOutcome:
    """Return the states to save and the remaining period.

    With `may_have_more`, further positions may follow `fixes`.
    """
    is_partial = may_have_more and fixes[-1].at < stretch.end
    processed_until = fixes[-1].at if is_partial else stretch.end
    if not stretch.is_late:
        return _make_head_outcome(stretch, fixes, state, processed_until, checkpoint_every)
    if is_partial or stretch.former_node is None:
        return StretchOutcome(
            processed_until,
            None,
            Node(processed_until, state),
            _remaining_period(processed_until, stretch.until),
        )
    return _compare_with_former_node(stretch, stretch.former_node, state)


def _make_head_outcome(
    stretch: EvaluationStretch,
    fixes: Sequence[Fix],
    state: RuleState,
    processed_until: datetime,
    checkpoint_every: int,
) -> StretchOutcome:
    remaining_period = (
        _remaining_period(processed_until, stretch.until)
        if processed_until < stretch.until
        else None
    )
    if not fixes:
        return StretchOutcome(processed_until, remaining=remaining_period)
    last_time, positions = fixes[-1].at, stretch.head.positions + len(fixes)
    if positions < checkpoint_every:
        return StretchOutcome(
            processed_until, HeadNode(last_time, state, positions), None, remaining_period
        )
    return StretchOutcome(
        processed_until, HeadNode(last_time, state), Node(last_time, state), remaining_period
    )


def _compare_with_former_node(
    stretch: EvaluationStretch, former_node: Node, state: RuleState
) -> StretchOutcome:
    """Return the outcome: the state is saved only if it differs from the node's former state."""
    has_changed, processed_until = state != former_node.state, former_node.at
    if former_node is stretch.head:
        head = HeadNode(processed_until, state, stretch.head.positions) if has_changed else None
        # Head and checkpoint must stay equal, because late positions after it start from the
        # checkpoint.
        checkpoint = (
            Node(processed_until, state) if has_changed and stretch.is_head_checkpoint else None
        )
        remaining_period = (
            _remaining_period(processed_until, stretch.until)
            if processed_until < stretch.until
            else None
        )
        return StretchOutcome(processed_until, head, checkpoint, remaining_period)
    remaining_period = (
        _remaining_period(processed_until, stretch.until)
        if has_changed or processed_until < stretch.until
        else None
    )
    return StretchOutcome(
        processed_until,
        None,
        Node(processed_until, state) if has_changed else None,
        remaining_period,
    )


def _remaining_period(processed_until: datetime, until: datetime) -> tuple[datetime, datetime]:
    return processed_until + CLOCK_TICK, max(until, processed_until + CLOCK_TICK)
