"""Restrictions of jobs to certain vehicles, expressed as load dimensions for pyvrp.

A restricted job carries one piece in a dimension in which forbidden vehicles have no capacity. Jobs
that may go to the same vehicles share a dimension. Jobs fixed to one vehicle carry the binary
digits of its number instead, so that fifty fixed vehicles need twelve dimensions.
"""

from typing import Final

import numpy as np

from pannier.planning.model import Flags

# Further groups are not translated. Our own search enforces them afterwards.
MAX_GROUPS: Final = 8
CAPACITY: Final = 1_000_000


class Compatibility:
    """Extra load dimensions, from a table of jobs (rows) and the vehicles allowed (columns)."""

    def __init__(self, allowed_vehicles: Flags) -> None:
        self._rows = [row.tobytes() for row in allowed_vehicles]
        job_count, vehicle_count = allowed_vehicles.shape
        restricted_jobs = [job for job in range(job_count) if not allowed_vehicles[job].all()]
        self._fixed_vehicles = {
            job: int(allowed_vehicles[job].argmax())
            for job in restricted_jobs
            if allowed_vehicles[job].sum() == 1
        }
        rows = [self._rows[job] for job in restricted_jobs if job not in self._fixed_vehicles]
        groups = list(dict.fromkeys(rows))
        if len(set(self._fixed_vehicles.values())) <= MAX_GROUPS:
            # A group for each vehicle takes fewer dimensions than digits, if there are only a few.
            groups += list(dict.fromkeys(self._rows[job] for job in self._fixed_vehicles))
            self._fixed_vehicles = {}
        self._groups = groups[:MAX_GROUPS]
        self._digit_count = (vehicle_count - 1).bit_length() if self._fixed_vehicles else 0

    @property
    def count(self) -> int:
        """The number of dimensions."""
        return len(self._groups) + 2 * self._digit_count

    def list_amounts(self, job: int) -> list[int]:
        """List a job's load in each dimension."""
        amounts = [int(self._rows[job] == group) for group in self._groups]
        if job not in self._fixed_vehicles:
            return amounts + [0] * (2 * self._digit_count)
        return amounts + self._list_digits(self._fixed_vehicles[job])

    def list_capacities(self, vehicle: int) -> list[int]:
        """List a vehicle's capacity in each dimension."""
        groups = [np.frombuffer(group, dtype=bool)[vehicle] for group in self._groups]
        digits = self._list_digits(vehicle)
        return [CAPACITY * int(amount) for amount in (*groups, *digits)]

    def _list_digits(self, vehicle: int) -> list[int]:
        """List each binary digit of a vehicle's number, followed by its opposite."""
        bits = [vehicle >> digit & 1 for digit in range(self._digit_count)]
        return [amount for bit in bits for amount in (bit, 1 - bit)]
