"""Errors and warnings about an order flow in the form."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from pannier.console.flow_form import METHODS, ActivityRow, FlowDraft, FlowSection
from pannier.errors import Problem

_REASON_PATH: Final = re.compile(r"^failure_reasons(?:\[(?P<index>\d+)\].*)?$")
_FLOW_PATH: Final = re.compile(r"^(?:flow|subflows\.(?P<name>.*?))(?:\[(?P<index>\d+)\].*)?$")


class FlowErrors(msgspec.Struct):
    """The errors of a refused draft: in general, by field, by section, by row and by reason."""

    sentence: str = ""
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    sections: dict[int, list[str]] = msgspec.field(default_factory=dict)
    rows: dict[int, list[str]] = msgspec.field(default_factory=dict)
    reasons: dict[int | None, list[str]] = msgspec.field(default_factory=dict)

    @classmethod
    def from_problem(cls, draft: FlowDraft, problem: Problem | None) -> "FlowErrors":
        """Assign a problem's errors to the fields, sections and rows of a draft."""
        errors = cls()
        if problem is None:
            return errors
        for offence in problem.fields:
            errors._add_error(draft, offence.path, offence.message)
        summary = "Not saved. Check the marked fields."
        errors.sentence = summary if problem.fields else problem.detail
        return errors

    def _add_error(self, draft: FlowDraft, path: str, message: str) -> None:
        if reason := _REASON_PATH.match(path):
            index = None if reason["index"] is None else int(reason["index"])
            self.reasons.setdefault(index, []).append(message)
            return
        location = _FLOW_PATH.match(path)
        if location is None:
            self.fields[path] = message
            return
        names = [section.name for section in draft.sections]
        name = location["name"] or ""
        number = names.index(name) if name in names else 0
        section = draft.sections[number]
        rows = [*section.head, *section.rows]
        if location["index"] is None or int(location["index"]) >= len(rows):
            self.sections.setdefault(number, []).append(message)
        else:
            self.rows.setdefault(rows[int(location["index"])].key, []).append(message)


def list_warnings(section: FlowSection) -> Iterator[tuple[ActivityRow | None, str]]:
    """Yield warnings about valid but unusual activities, each with its row."""
    roots = section.list_roots()
    for row in section.rows:
        method = dict(METHODS).get(row.pod_method, "").lower()
        if row in roots[1:] or (row in roots and section.rows[0] not in roots):
            start_name = "the start of the stop" if section.name else "Order started"
            yield row, f"No activity leads here, so it can follow {start_name}."
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
    final_rows = [row for row in section.rows if row.complete]
    if final_rows and not any(row.require_pod for row in final_rows):
        yield None, "No final activity requires proof of delivery."
