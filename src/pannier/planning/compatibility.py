"""Which vehicle may do which job, written as load dimensions, because pyvrp knows loads only.

A restricted job carries one piece in a dimension in which forbidden vehicles have no room. Jobs
that may go to the same vehicles share a dimension. Jobs fixed to one vehicle each carry the binary
digits of its number instead, so that fifty fixed vehicles need twelve dimensions.
"""

from typing import Final

import numpy as np

from pannier.planning.model import Flags

# Further groups are not translated. Our own search keeps those rules afterwards.
MAX_GROUPS: Final = 8
ROOM: Final = 1_000_000


class Compatibility:
    """Extra load dimensions of jobs and vehicles, from the table of who may do what."""

    def __init__(self, allowed: Flags) -> None:
        self._allowed = allowed
        jobs, vehicles = allowed.shape
        restricted = [job for job in range(jobs) if not allowed[job].all()]
        self._fixed = {
            job: int(allowed[job].argmax()) for job in restricted if allowed[job].sum() == 1
        }
        rows = [allowed[job].tobytes() for job in restricted if job not in self._fixed]
        groups = list(dict.fromkeys(rows))
        if len(set(self._fixed.values())) <= MAX_GROUPS:
            # Few fixed vehicles are groups like others, which takes fewer dimensions.
            groups += list(dict.fromkeys(allowed[job].tobytes() for job in self._fixed))
            self._fixed = {}
        self._groups = groups[:MAX_GROUPS]
        self._digits = (vehicles - 1).bit_length() if self._fixed else 0

    @property
    def count(self) -> int:
        """The number of dimensions."""
        return len(self._groups) + 2 * self._digits

    def amounts(self, job: int) -> list[int]:
        """Return what a job carries in each dimension."""
        row = self._allowed[job].tobytes()
        groups = [int(row == group) for group in self._groups]
        if job not in self._fixed:
            return groups + [0] * (2 * self._digits)
        return groups + [digit for bit in self._bits(self._fixed[job]) for digit in (bit, 1 - bit)]

    def rooms(self, vehicle: int) -> list[int]:
        """Return what a vehicle has room for in each dimension."""
        groups = [np.frombuffer(group, dtype=bool)[vehicle] for group in self._groups]
        digits = [digit for bit in self._bits(vehicle) for digit in (bit, 1 - bit)]
        return [ROOM * int(each) for each in (*groups, *digits)]

    def _bits(self, number: int) -> list[int]:
        return [number >> digit & 1 for digit in range(self._digits)]
