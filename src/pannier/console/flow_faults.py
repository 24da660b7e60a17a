"""What is said of a configuration in the form: why it is refused, and what may surprise."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from pannier.console.flow_form import METHODS, Draft, Part, Row
from pannier.errors import Problem

_REASON: Final = re.compile(r"^failure_reasons(?:\[(?P<at>\d+)\].*)?$")
_PLACE: Final = re.compile(r"^(?:flow|subflows\.(?P<name>.*?))(?:\[(?P<at>\d+)\].*)?$")


class Faults(msgspec.Struct):
    """Why a draft is refused: in all, by field, by flow, and by row."""

    sentence: str = ""
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    parts: dict[int, list[str]] = msgspec.field(default_factory=dict)
    rows: dict[int, list[str]] = msgspec.field(default_factory=dict)
    reasons: dict[int | None, list[str]] = msgspec.field(default_factory=dict)

    @classmethod
    def of(cls, draft: Draft, problem: Problem | None) -> "Faults":
        """Put what was refused beside what it is about."""
        made = cls()
        if problem is None:
            return made
        for offence in problem.fields:
            made._put(draft, offence.path, offence.message)
        many = "Nothing was saved. Look at what is marked."
        made.sentence = many if problem.fields else problem.detail
        return made

    def _put(self, draft: Draft, path: str, message: str) -> None:
        if reason := _REASON.match(path):
            at = None if reason["at"] is None else int(reason["at"])
            self.reasons.setdefault(at, []).append(message)
            return
        place = _PLACE.match(path)
        if place is None:
            self.fields[path] = message
            return
        names = [part.name for part in draft.parts]
        name = place["name"] or ""
        number = names.index(name) if name in names else 0
        part = draft.parts[number]
        rows = [*part.head, *part.rows]
        if place["at"] is None or int(place["at"]) >= len(rows):
            self.parts.setdefault(number, []).append(message)
        else:
            self.rows.setdefault(rows[int(place["at"])].key, []).append(message)


def warnings(part: Part) -> Iterator[tuple[Row | None, str]]:
    """Say what is right and may still surprise."""
    roots = part.leading_nowhere()
    for row in part.rows:
        method = dict(METHODS).get(row.pod_method, "").lower()
        if row in roots[1:] or (row in roots and part.rows[0] not in roots):
            first = "the beginning" if part.name else "Order started"
            yield row, f"Nothing leads here, so it can happen right after {first}."
        if row.require_pod and row.pod_method == "sms":
            yield (
                row,
                (
                    "An SMS code needs a phone number: of the item's customer, the stop's contact "
                    "or the order's customer. Without one, only an operator can override it."
                ),
            )
        if method and not row.require_pod:
            yield row, f"It happens without the {method} too: no proof is required."
        if row.next and row.key in row.next and not row.complete:
            yield row, "It may follow itself, as often as the driver likes."
        if not row.status and row.code:
            yield row, "It has no words for people, who will read its code."
    ends = [row for row in part.rows if row.complete]
    if ends and not any(row.require_pod for row in ends):
        yield None, "Nothing that completes asks for a proof of delivery."
