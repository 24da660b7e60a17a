"""Segments: what a piece of a route needs in time, in a form that can be joined in constant time.

A segment lasts `duration` seconds if it begins between `early` and `late`. If it begins earlier, it
waits; it cannot begin later. `merge` works on integers and on arrays of them alike.
"""

from typing import Any, NamedTuple

import numpy as np


class Segment(NamedTuple):
    """The duration of a piece of a route, and when it can begin. `late` < `early` never happens.

    `is_broken` says that a window inside it cannot be met.
    """

    duration: Any
    early: Any
    late: Any
    is_broken: Any = False

    def take(self, chosen: Any) -> "Segment":  # noqa: ANN401 - an array of indices
        """Return some of the segments of an array, all of which are possible."""
        return Segment(self.duration[chosen], self.early[chosen], self.late[chosen])


def merge(first: Segment, travel: Any, second: Segment) -> Segment:  # noqa: ANN401 - int or array
    """Join two segments, the second `travel` seconds after the first."""
    delta = first.duration + travel
    wait = np.maximum(second.early - delta - first.late, 0)
    missed = first.early + delta > second.late
    return Segment(
        delta + second.duration + wait,
        np.maximum(second.early - delta, first.early) - wait,
        np.minimum(second.late - delta, first.late),
        first.is_broken | second.is_broken | missed,
    )


def merge_one(first: Segment, travel: int, second: Segment) -> Segment:
    """Join two segments of single numbers, which is faster without arrays."""
    delta = first.duration + travel
    wait = max(second.early - delta - first.late, 0)
    missed = first.early + delta > second.late
    return Segment(
        delta + second.duration + wait,
        max(second.early - delta, first.early) - wait,
        min(second.late - delta, first.late),
        first.is_broken or second.is_broken or missed,
    )
