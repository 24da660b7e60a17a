"""Submissions of readings, and their outcomes."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pannier.devices.readings import ItemRefusal, Reading
from pannier.devices.sources import Source

# Codes of readings that the store itself rejects.
UNKNOWN_DEVICE: Final = "unknown_device"
TOO_OLD: Final = "too_old"
UNSTORABLE: Final = "unstorable"
REVOKED: Final = "credential_revoked"
REASONS: Final = {
    UNKNOWN_DEVICE: "There is no such device, or this credential cannot report for it.",
    TOO_OLD: "The event is older than the retention period.",
    UNSTORABLE: "The event could not be stored. See the log for the reason.",
    REVOKED: "The credential has expired or was revoked.",
}


class Submission(NamedTuple):
    """The readings that one sender sent in one request, and the items that were rejected.

    Together they are all items of the request. The readings have the indexes that no refusal has,
    in order. A part of a submission has the indexes of its readings in `part_indexes`.
    """

    source: Source
    readings: Sequence[Reading]
    refusals: Sequence[ItemRefusal] = ()
    part_indexes: Sequence[int] | None = None

    @property
    def indexes(self) -> Sequence[int]:
        """The index of each reading in the request."""
        if self.part_indexes is not None:
            return self.part_indexes
        refused_indexes = {refusal.index for refusal in self.refusals}
        all_indexes = range(len(self.readings) + len(refused_indexes))
        return [index for index in all_indexes if index not in refused_indexes]

    def split(self) -> tuple["Submission", "Submission"]:
        """Split the submission into two parts."""
        half, indexes = len(self.readings) // 2, self.indexes
        return (
            Submission(self.source, self.readings[:half], self.refusals, indexes[:half]),
            Submission(self.source, self.readings[half:], (), indexes[half:]),
        )


class IngestOutcome(NamedTuple):
    """The result of a submission. `pending` readings are safe, but not stored yet."""

    accepted: int
    duplicates: int
    refusals: list[ItemRefusal]
    pending: int = 0

    @property
    def is_revoked(self) -> bool:
        """Whether nothing was stored because the credential had ended."""
        return any(refusal.code == REVOKED for refusal in self.refusals)

    def __or__(self, other: "IngestOutcome") -> "IngestOutcome":
        return IngestOutcome(
            self.accepted + other.accepted,
            self.duplicates + other.duplicates,
            self.refusals + other.refusals,
            self.pending + other.pending,
        )
