"""Segments: the time needed by a part of a route, in a form that can be joined in constant time.

A segment lasts `duration` seconds if it begins between `early` and `late`. If it begins earlier, it
waits; it cannot begin later. `merge` works on integers and on arrays of them alike.
"""

from typing import Any, NamedTuple

import numpy as np


class Segment(NamedTuple):
    """The duration of a part of a route, and when it can begin. `early` never exceeds `late`.

    `is_broken` means that one of its time windows cannot be met.
    """

    duration: Any
    early: Any
    late: Any
    is_broken: Any = False

    def take(self, indices: Any) -> "Segment":  # noqa: ANN401 - an array
        """Take segments that are not broken out of an array of them."""
        return Segment(self.duration[indices], self.early[indices], self.late[indices])


def merge(first: Segment, travel: Any, second: Segment) -> Segment:  # noqa: ANN401 - int or array
    """Join two segments, the second `travel` seconds after the first."""
    delta = first.duration + travel
    wait = np.maximum(second.early - delta - first.late, 0)
    is_missed = first.early + delta > second.late
    return Segment(
        delta + second.duration + wait,
        np.maximum(second.early - delta, first.early) - wait,
        np.minimum(second.late - delta, first.late),
        first.is_broken | second.is_broken | is_missed,
    )


def merge_one(first: Segment, travel: int, second: Segment) -> Segment:
    """Join two segments of single numbers, which is faster without arrays."""
    delta = first.duration + travel
    wait = max(second.early - delta - first.late, 0)
    is_missed = first.early + delta > second.late
    return Segment(
        delta + second.duration + wait,
        max(second.early - delta, first.early) - wait,
        min(second.late - delta, first.late),
        first.is_broken or second.is_broken or is_missed,
    )
