"""Histograms of durations, which can be added up: four steps for each doubling.

So a figure read from one is at most a tenth off, and a week has an exact place in its days.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

STEPS_PER_DOUBLING: Final = 4
# The first step has all shorter durations, and the last one all longer: about 46 hours.
SHORTEST_SECONDS: Final = 0.01
LAST_STEP: Final = 24 * STEPS_PER_DOUBLING
# The step of a duration in seconds, in SQL.
STEP_SQL: Final = f"""least({LAST_STEP}, greatest(0, ceil(
    {STEPS_PER_DOUBLING} * ln(greatest({{}}, {SHORTEST_SECONDS}) / {SHORTEST_SECONDS}) / ln(2))))"""


def build(counts: Iterable[tuple[int, int]]) -> list[int]:
    """Build a histogram from pairs of a step and its count."""
    histogram = [0] * (LAST_STEP + 1)
    for step, count in counts:
        histogram[step] += count
    return histogram


def merge(histograms: Iterable[Sequence[int]]) -> list[int]:
    """Add up histograms. Those without values are empty."""
    return [sum(counts) for counts in zip(*filter(None, histograms), strict=True)]


def find_quantile(histogram: Sequence[int], share: float) -> int | None:
    """Return the milliseconds that a share of the durations does not exceed, roughly."""
    if not histogram:
        return None
    needed_count, count_so_far = math.ceil(share * sum(histogram)), 0
    for step, count in enumerate(histogram):
        count_so_far += count
        if count_so_far >= needed_count > 0:
            # The middle of the step, by its factor.
            factor: float = 2 ** ((step - 0.5) / STEPS_PER_DOUBLING)
            return round(1000 * SHORTEST_SECONDS * factor)
    return None
