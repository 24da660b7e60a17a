"""What is put into the store, and what becomes of it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pannier.devices.readings import Reading, Refusal
from pannier.devices.sources import Source

# Why the store itself refuses a reading.
UNKNOWN_DEVICE: Final = "unknown_device"
TOO_OLD: Final = "too_old"
UNSTORABLE: Final = "unstorable"
REVOKED: Final = "credential_revoked"
REASONS: Final = {
    UNKNOWN_DEVICE: "There is no such device, or this credential does not speak for it.",
    TOO_OLD: "It happened longer ago than anything is kept.",
    UNSTORABLE: "It could not be stored; the log says why.",
    REVOKED: "The credential has ended.",
}


class Put(NamedTuple):
    """What one sender sent at once: what could be read of it, and what could not.

    Both together are all that was sent: where no refusal has an index, a reading does; unless this
    is a part of a put, which says where its readings stood.
    """

    source: Source
    readings: Sequence[Reading]
    refusals: Sequence[Refusal] = ()
    stood: Sequence[int] | None = None

    @property
    def places(self) -> Sequence[int]:
        """Which index each reading had in what was sent."""
        if self.stood is not None:
            return self.stood
        refused = {refusal.index for refusal in self.refusals}
        everything = range(len(self.readings) + len(refused))
        return [index for index in everything if index not in refused]

    def halves(self) -> tuple["Put", "Put"]:
        """Part it into two."""
        half, places = len(self.readings) // 2, self.places
        return (
            Put(self.source, self.readings[:half], self.refusals, places[:half]),
            Put(self.source, self.readings[half:], (), places[half:]),
        )


class Outcome(NamedTuple):
    """What became of a put; what is `pending` is safe, and not stored yet."""

    accepted: int
    duplicates: int
    refusals: list[Refusal]
    pending: int = 0

    @property
    def revoked(self) -> bool:
        """Whether nothing was stored because the credential had ended."""
        return any(refusal.code == REVOKED for refusal in self.refusals)

    def __or__(self, other: "Outcome") -> "Outcome":
        """Put together what became of two halves."""
        return Outcome(
            self.accepted + other.accepted,
            self.duplicates + other.duplicates,
            self.refusals + other.refusals,
            self.pending + other.pending,
        )
