"""Errors and warnings about an order flow in the form."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from pannier.console.flow_form import METHODS, ActivityRow, FlowDraft, FlowSection
from pannier.errors import Problem

_REASON: Final = re.compile(r"^failure_reasons(?:\[(?P<at>\d+)\].*)?$")
_PLACE: Final = re.compile(r"^(?:flow|subflows\.(?P<name>.*?))(?:\[(?P<at>\d+)\].*)?$")


class FlowErrors(msgspec.Struct):
    """Why a draft is refused: in general, by field, by flow, and by row."""

    sentence: str = ""
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    parts: dict[int, list[str]] = msgspec.field(default_factory=dict)
    rows: dict[int, list[str]] = msgspec.field(default_factory=dict)
    reasons: dict[int | None, list[str]] = msgspec.field(default_factory=dict)

    @classmethod
    def from_problem(cls, draft: FlowDraft, problem: Problem | None) -> "FlowErrors":
        """Assign the errors of a problem to the places that they concern."""
        errors = cls()
        if problem is None:
            return errors
        for offence in problem.fields:
            errors._add(draft, offence.path, offence.message)
        summary = "Not saved. Check the marked fields."
        errors.sentence = summary if problem.fields else problem.detail
        return errors

    def _add(self, draft: FlowDraft, path: str, message: str) -> None:
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


def list_warnings(part: FlowSection) -> Iterator[tuple[ActivityRow | None, str]]:
    """List what is valid but may be unexpected, with the row that it concerns."""
    roots = part.list_roots()
    for row in part.rows:
        method = dict(METHODS).get(row.pod_method, "").lower()
        if row in roots[1:] or (row in roots and part.rows[0] not in roots):
            first = "the start of the stop" if part.name else "Order started"
            yield row, f"No activity leads here, so it can follow {first}."
        if row.require_pod and row.pod_method == "sms":
            yield (
                row,
                (
                    "SMS codes need a phone number for the item's customer, the stop's contact or "
                    "the order's customer. Without one, an operator has to skip the proof."
                ),
            )
        if method and not row.require_pod:
            yield row, f"The {method} is optional because no proof is required."
        if row.next and row.key in row.next and not row.complete:
            yield row, "This activity can be repeated any number of times."
        if not row.status and row.code:
            yield row, "Without a label, people see the code."
    ends = [row for row in part.rows if row.complete]
    if ends and not any(row.require_pod for row in ends):
        yield None, "No final activity requires proof of delivery."
