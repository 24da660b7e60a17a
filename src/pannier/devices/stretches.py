"""Stretches: which part of a device's time the rules look at next, and what is left after it.

Usually that is whatever comes after the head. What came late is folded in from the node before it
to the next one; where the state there is what it was, the rest of history is right already.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.devices.checkpoints import Head, Node
from pannier.devices.rules.fixes import Fix
from pannier.devices.rules.fold import State

# The database's clock ticks so.
TICK: Final = timedelta(microseconds=1)


class Line(msgspec.Struct, frozen=True):
    """A device that is worked on."""

    uuid: UUID
    company: UUID
    number: int
    public_id: str


class Waiting(msgspec.Struct, frozen=True):
    """From when until when there are positions of a device that the rules have not seen."""

    device: UUID
    position: int
    since: datetime
    until: datetime


class Stretch(msgspec.Struct, frozen=True):
    """From a node to the next one, or as far as there is news."""

    line: Line
    head: Head
    start: Node
    end: datetime
    # Until when there is news, and the rows of the backlog that say so.
    until: datetime
    rows: list[int]
    # What was known at the end, if that is a node; and whether it is both head and checkpoint.
    known: Node | None = None
    twice: bool = False

    @property
    def late(self) -> bool:
        """Whether it is of the past, from which something may have been derived already."""
        return self.start is not self.head


class Outcome(msgspec.Struct):
    """What is to be kept after a stretch, and what is left to be done."""

    reached: datetime
    head: Head | None = None
    checkpoint: Node | None = None
    left: tuple[datetime, datetime] | None = None


def new(line: Line, head: Head, waiting: Sequence[Waiting]) -> Stretch:
    """Go on from the head."""
    rows = [row for row in waiting if row.since > head.at]
    until = max(row.until for row in rows)
    return Stretch(line, head, head, until, until, [row.position for row in rows])


def late(
    line: Line, head: Head, before: Node, after: Node | None, waiting: Sequence[Waiting]
) -> Stretch:
    """Go from the node before the earliest news to the next one; rest where the news ends.

    There the next news is likely to go on.
    """
    known = head if after is None or after.at >= head.at else after
    rows = [row for row in waiting if row.since <= known.at]
    until = max(row.until for row in rows)
    resting = before.at + TICK < until < known.at
    positions = [row.position for row in rows]
    if resting:
        return Stretch(line, head, before, until, until, positions)
    twice = after is not None and after.at == head.at
    return Stretch(line, head, before, known.at, until, positions, known, twice)


def outcome(
    stretch: Stretch, fixes: Sequence[Fix], state: State, *, full: bool, every: int
) -> Outcome:
    """Tell what to keep and what is left; `full` is a stretch of which there may be more fixes."""
    cut = full and fixes[-1].at < stretch.end
    reached = fixes[-1].at if cut else stretch.end
    if not stretch.late:
        return _onward(stretch, fixes, state, reached, every)
    if cut or stretch.known is None:
        return Outcome(reached, None, Node(reached, state), _beyond(reached, stretch.until))
    return _met(stretch, stretch.known, state)


def _onward(
    stretch: Stretch, fixes: Sequence[Fix], state: State, reached: datetime, every: int
) -> Outcome:
    left = _beyond(reached, stretch.until) if reached < stretch.until else None
    if not fixes:
        return Outcome(reached, left=left)
    at, positions = fixes[-1].at, stretch.head.positions + len(fixes)
    if positions < every:
        return Outcome(reached, Head(at, state, positions), None, left)
    return Outcome(reached, Head(at, state), Node(at, state), left)


def _met(stretch: Stretch, known: Node, state: State) -> Outcome:
    """Compare what is known now with what was known there."""
    changed, reached = state != known.state, known.at
    if known is stretch.head:
        head = Head(reached, state, stretch.head.positions) if changed else None
        # Both are to say the same: whatever comes late beyond it begins with the checkpoint.
        checkpoint = Node(reached, state) if changed and stretch.twice else None
        left = _beyond(reached, stretch.until) if reached < stretch.until else None
        return Outcome(reached, head, checkpoint, left)
    left = _beyond(reached, stretch.until) if changed or reached < stretch.until else None
    return Outcome(reached, None, Node(reached, state) if changed else None, left)


def _beyond(reached: datetime, until: datetime) -> tuple[datetime, datetime]:
    return reached + TICK, max(until, reached + TICK)
