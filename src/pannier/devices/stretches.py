"""Stretches: the period of a device that the rules evaluate next, and the rest after it.

Usually that is everything after the head. Late positions are folded in from the node before them to
the next node. If the state there is unchanged, the results after it are still valid.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.devices.checkpoints import Head, Node
from pannier.devices.rules.fixes import Fix
from pannier.devices.rules.fold import State

# The resolution of the database's clock.
TICK: Final = timedelta(microseconds=1)


class Line(msgspec.Struct, frozen=True):
    """A device that is being evaluated."""

    uuid: UUID
    company: UUID
    number: int
    public_id: str


class Waiting(msgspec.Struct, frozen=True):
    """A period with positions of a device that were not evaluated yet."""

    device: UUID
    position: int
    since: datetime
    until: datetime


class Stretch(msgspec.Struct, frozen=True):
    """A period from a node to the next one, or to the end of the new positions."""

    line: Line
    head: Head
    start: Node
    end: datetime
    # The end of the new positions, and the backlog rows that they come from.
    until: datetime
    rows: list[int]
    # The former node at the end, if there is one, and whether it is both head and checkpoint.
    known: Node | None = None
    twice: bool = False

    @property
    def late(self) -> bool:
        """Whether the period lies before the head, so that results for it may exist."""
        return self.start is not self.head


class Outcome(msgspec.Struct):
    """The states to save after a stretch, and the period that is left."""

    reached: datetime
    head: Head | None = None
    checkpoint: Node | None = None
    left: tuple[datetime, datetime] | None = None


def new(line: Line, head: Head, waiting: Sequence[Waiting]) -> Stretch:
    """Build the stretch that continues from the head."""
    rows = [row for row in waiting if row.since > head.at]
    until = max(row.until for row in rows)
    return Stretch(line, head, head, until, until, [row.position for row in rows])


def late(
    line: Line, head: Head, before: Node, after: Node | None, waiting: Sequence[Waiting]
) -> Stretch:
    """Build the stretch from the node before the earliest late position to the next node.

    It ends early where the late positions end, because the next ones are likely to continue there.
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
    """Return the states to save and the rest to do.

    With `may_have_more`, further positions may follow the given ones.
    """
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
    """Compare the new state with the former state at the same node."""
    changed, reached = state != known.state, known.at
    if known is stretch.head:
        head = Head(reached, state, stretch.head.positions) if changed else None
        # Head and checkpoint must stay equal, because late positions after it start from the
        # checkpoint.
        checkpoint = Node(reached, state) if changed and stretch.twice else None
        left = _beyond(reached, stretch.until) if reached < stretch.until else None
        return Outcome(reached, head, checkpoint, left)
    left = _beyond(reached, stretch.until) if changed or reached < stretch.until else None
    return Outcome(reached, None, Node(reached, state) if changed else None, left)


def _beyond(reached: datetime, until: datetime) -> tuple[datetime, datetime]:
    return reached + TICK, max(until, reached + TICK)
