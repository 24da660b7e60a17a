"""What the log says about deliveries, held against what their receiver says."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from faults.letterbox import Letter


class Delivered(msgspec.Struct):
    """A delivery as the log has it in the end."""

    public_id: str
    state: str
    retries: int
    attempts: int


class Attempted(msgspec.Struct):
    """An attempt as the log has it in the end."""

    delivery: str
    number: int
    outcome: str


@dataclass
class Ledger:
    """What the log says, held against what the letterbox says."""

    deliveries: Sequence[Delivered]
    attempts: Sequence[Attempted]
    letters: Sequence[Letter]

    @cached_property
    def seen(self) -> set[str]:
        """The deliveries that arrived at all."""
        return {letter.delivery for letter in self.letters}

    @property
    def lost(self) -> list[str]:
        """Deliveries that did not arrive, or are not known to have arrived."""
        return [
            one.public_id
            for one in self.deliveries
            if one.state != "succeeded" or one.public_id not in self.seen
        ]

    @property
    def unlogged(self) -> set[tuple[str, int]]:
        """Requests that no attempt in the log accounts for."""
        logged = {(one.delivery, one.number) for one in self.attempts}
        return {(letter.delivery, letter.attempt) for letter in self.letters} - logged

    @property
    def duplicates(self) -> int:
        """Requests beyond the first of each delivery."""
        return len(self.letters) - len(self.seen)

    @property
    def interrupted(self) -> set[str]:
        """Attempts of which nobody learned what became of them."""
        return {
            f"{one.delivery} {one.number}" for one in self.attempts if one.outcome == "interrupted"
        }

    @property
    def forged(self) -> int:
        """Requests whose signature is wrong."""
        return sum(not letter.genuine for letter in self.letters)

    @property
    def odd(self) -> dict[str, list[tuple[int, str]]]:
        """Deliveries whose attempts are not interruptions, numbered from 1, and then a success."""
        stories = defaultdict(list)
        for one in self.attempts:
            stories[one.delivery].append((one.number, one.outcome))
        return {
            delivery.public_id: sorted(stories[delivery.public_id])
            for delivery in self.deliveries
            if sorted(stories[delivery.public_id]) != _story(delivery) or delivery.retries
        }

    @property
    def overtaken(self) -> list[Letter]:
        """Requests that came to an endpoint after a later one of the same order."""
        latest: dict[tuple[str, str], int] = {}
        late = []
        for letter in self.letters:
            place = letter.box, letter.subject
            if letter.sequence < latest.get(place, 0):
                late.append(letter)
            latest[place] = max(letter.sequence, latest.get(place, 0))
        return late


def _story(delivery: Delivered) -> list[tuple[int, str]]:
    """Tell how the attempts of a delivery must have gone when nothing but kills got in the way."""
    broken = [(number, "interrupted") for number in range(1, delivery.attempts)]
    return [*broken, (delivery.attempts, "succeeded")]
