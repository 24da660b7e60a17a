"""An order flow in the form, edited row by row.

Each row has a key that stays with it when it moves. So links between rows survive a change of their
codes, and input stays in its field.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from pannier.console.flow_chart import HEAD_CODES
from pannier.console.session import FormData

METHODS: Final = (
    ("signature", "Signature"),
    ("photo", "Photo"),
    ("scan", "Scan"),
    ("sms", "SMS code"),
)
SCOPES: Final = (
    ("order", "Whole order"),
    ("waypoint", "Each stop"),
    ("entity", "Each item"),
)
SCAN_MISMATCHES: Final = (
    ("refuse", "Reject"),
    ("explain", "Accept with reason and photo"),
)
NEXT_STEPS: Final = (
    ("retry", "Retry"),
    ("hold", "Hold for a decision"),
    ("return", "Return"),
)


def make_code(label: str) -> str:
    """Make a code from a label: "En route" becomes `en_route`."""
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")[:40]


class ActivityRow(msgspec.Struct, kw_only=True):
    """An activity in the form; `next` holds keys of rows."""

    key: int
    code: str = ""
    status: str = ""
    details: str = ""
    next: list[int] = msgspec.field(default_factory=list)
    complete: bool = False
    require_pod: bool = False
    pod_method: str = ""
    pod_scope: str = "order"
    scan_mismatch: str = ""
    at: str = ""
    color: str = ""
    events: list[str] = msgspec.field(default_factory=list)

    @property
    def display_label(self) -> str:
        return self.status or self.code or "New activity"

    @property
    def effective_code(self) -> str:
        """The code, or one made from the label."""
        return self.code or make_code(self.status)

    def to_activity(self, codes: Mapping[int, str]) -> dict[str, Any]:
        """Return the activity in the API's format. A final one has no next activities."""
        next_codes = [] if self.complete else [codes[key] for key in self.next if key in codes]
        return {
            "code": self.effective_code,
            "status": self.status,
            "details": self.details,
            "next": next_codes,
            "complete": self.complete,
            "require_pod": self.require_pod,
            "pod_method": self.pod_method or None,
            "pod_scope": self.pod_scope,
            "scan_mismatch": self.scan_mismatch or None,
            "at": self.at or None,
            "color": self.color or None,
            "events": self.events,
        }


class FailureReasonRow(msgspec.Struct, kw_only=True):
    """A failure reason in the form."""

    code: str = ""
    label: str = ""
    photo: bool = False
    then: str = "retry"

    @property
    def effective_code(self) -> str:
        """The code, or one made from the label."""
        return self.code or make_code(self.label)

    @property
    def body(self) -> dict[str, Any]:
        """The reason in the API's format."""
        return {
            "code": self.effective_code,
            "label": self.label,
            "photo": self.photo,
            "then": self.then,
        }


class FlowSection(msgspec.Struct, kw_only=True):
    """A flow in the form: the order's own flow, which has no name, or a stop flow."""

    name: str
    rows: list[ActivityRow]
    head: list[ActivityRow] = msgspec.field(default_factory=list)

    @property
    def activities(self) -> list[dict[str, Any]]:
        """The activities in the API's format, the head first."""
        codes = {row.key: row.effective_code for row in self.rows}
        return [row.to_activity(codes) for row in (*self.head, *self.rows)]

    @property
    def names(self) -> dict[int, str]:
        """The label of each row, by key."""
        return {row.key: row.display_label for row in self.rows}

    @property
    def own_activities(self) -> list[dict[str, Any]]:
        """The activities without the head."""
        return self.activities[len(self.head) :]

    @property
    def chart_activities(self) -> list[dict[str, Any]]:
        """The activities of the chart: the last one of the head, then the section's own."""
        own_activities = self.own_activities
        return [
            {**last_activity, "next": find_entry_codes(own_activities)}
            for last_activity in self.activities[: len(self.head)][-1:]
        ] + own_activities

    def list_roots(self) -> list[ActivityRow]:
        """List the rows without a predecessor."""
        target_keys = {
            key for row in self.rows if not row.complete for key in row.next if key != row.key
        }
        return [row for row in self.rows if row.key not in target_keys]


def find_entry_codes(activities: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the codes of the entry activities, as `pickup_steps.find_entry_codes` does."""
    steps = [activity for activity in activities if activity.get("at")]
    other_activities = [activity for activity in activities if not activity.get("at")]
    if any(step["require_pod"] for step in steps):
        return _find_roots(steps)
    return [*_find_roots(other_activities), *_find_roots(steps)]


def _find_roots(activities: Sequence[Mapping[str, Any]]) -> list[str]:
    target_codes = {
        code for activity in activities for code in activity["next"] if code != activity["code"]
    }
    roots = [activity["code"] for activity in activities if activity["code"] not in target_codes]
    return roots or [activity["code"] for activity in activities[:1]]


class FlowDraft(msgspec.Struct, kw_only=True):
    """An order flow in the form."""

    name: str = ""
    key: str = ""
    description: str = ""
    status: str = "active"
    sections: list[FlowSection]
    reasons: list[FailureReasonRow] = msgspec.field(default_factory=list)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "FlowDraft":
        keys = _count_from(1)
        flows = {"": config["flow"], **config.get("subflows", {})}
        return cls(
            name=config["name"],
            key=config.get("key", ""),
            description=config.get("description", ""),
            status=config.get("status", "active"),
            sections=[_make_section(name, activities, keys) for name, activities in flows.items()],
            reasons=msgspec.convert(config.get("failure_reasons", []), list[FailureReasonRow]),
        )

    @classmethod
    def from_form(cls, form_data: FormData) -> "FlowDraft":
        sections = []
        for number in range(parse_int(form_data.get("parts", "0"))):
            head_keys, row_keys = (
                _parse_keys(form_data.get(f"{number}.head", "")),
                _parse_keys(form_data.get(f"{number}.rows", "")),
            )
            sections.append(
                FlowSection(
                    name=form_data.get(f"{number}.name", "").strip(),
                    head=[_parse_row(form_data, key) for key in head_keys],
                    rows=[_parse_row(form_data, key) for key in row_keys],
                )
            )
        texts = {name: form_data.get(name, "").strip() for name in ("name", "key", "description")}
        status = form_data.get("status", "active")
        reasons = [
            _parse_reason(form_data, number)
            for number in range(parse_int(form_data.get("reasons", "0")))
        ]
        return cls(
            **texts,
            status=status,
            sections=sections or [FlowSection(name="", rows=[])],
            reasons=[reason for reason in reasons if reason.label or reason.code],
        )

    def make_body(self, *, is_new: bool) -> dict[str, Any]:
        """Return the body of the API call."""
        main_section, *stop_sections = self.sections
        body = {
            "name": self.name,
            "description": self.description,
            "status": self.status,
            "flow": main_section.activities,
            "subflows": {section.name: section.activities for section in stop_sections},
            "failure_reasons": [reason.body for reason in self.reasons if reason.effective_code],
        }
        return {**body, "key": self.key} if is_new and self.key else body

    def apply(self, command: str) -> None:
        """Apply a button's command. Ignore commands for rows that no longer exist."""
        verb, _, argument = command.partition(".")
        number = parse_int(argument)
        if verb == "stops":
            self.sections.append(
                FlowSection(
                    name=f"stop-{len(self.sections)}",
                    rows=[self._make_row(status="Done", complete=True)],
                )
            )
        elif verb == "reason":
            self.reasons.append(FailureReasonRow())
        elif verb == "unreason" and 0 <= number < len(self.reasons):
            del self.reasons[number]
        elif verb == "unstop" and 0 < number < len(self.sections):
            del self.sections[number]
        elif verb == "add" and number < len(self.sections):
            self._add_row(self.sections[number], None)
        elif (row_location := self._find_row(number)) is not None:
            {"below": self._add_row, "remove": _remove_row, "up": _move_up, "down": _move_down}.get(
                verb, _ignore_command
            )(*row_location)

    def _find_row(self, key: int) -> tuple[FlowSection, ActivityRow] | None:
        matches = ((section, row) for section in self.sections for row in section.rows)
        return next((match for match in matches if match[1].key == key), None)

    def _make_row(self, *, status: str = "", complete: bool = False) -> ActivityRow:
        keys = [row.key for section in self.sections for row in (*section.head, *section.rows)]
        return ActivityRow(key=max(keys, default=0) + 1, status=status, complete=complete)

    def _add_row(self, section: FlowSection, selected_row: ActivityRow | None) -> None:
        """Insert a row after the selected row, or after the last row that is not final.

        The new row takes over the links of the row above it.
        """
        new_row = self._make_row()
        open_rows = [row for row in section.rows if not row.complete]
        previous_row = selected_row or (open_rows[-1] if open_rows else None)
        position = (
            len(section.rows) if previous_row is None else section.rows.index(previous_row) + 1
        )
        if previous_row is not None and not previous_row.complete:
            new_row.next, previous_row.next = previous_row.next, [new_row.key]
        elif previous_row is None:
            new_row.next, position = [row.key for row in section.list_roots()], 0
        section.rows.insert(position, new_row)


def _ignore_command(_: FlowSection, __: ActivityRow) -> None:
    """Ignore an unknown command."""


def _remove_row(section: FlowSection, row: ActivityRow) -> None:
    """Remove a row, and link its predecessors to its next rows."""
    section.rows.remove(row)
    next_keys = [] if row.complete else row.next
    for previous_row in section.rows:
        if row.key in previous_row.next:
            position = previous_row.next.index(row.key)
            new_keys = [
                key for key in next_keys if key not in {*previous_row.next, previous_row.key}
            ]
            previous_row.next[position : position + 1] = new_keys


def _move_down(section: FlowSection, row: ActivityRow) -> None:
    position = section.rows.index(row)
    if position + 1 < len(section.rows):
        _move_up(section, section.rows[position + 1])


def _move_up(section: FlowSection, row: ActivityRow) -> None:
    """Move a row up. If it is the only successor of the row above, reverse their link."""
    position = section.rows.index(row)
    if position == 0:
        return
    row_above = section.rows[position - 1]
    if row_above.next == [row.key] and not (row.complete or row_above.complete):
        for other_row in section.rows:
            if other_row is not row_above:
                other_row.next = [
                    row.key if key == row_above.key else key for key in other_row.next
                ]
        row_above.next, row.next = [key for key in row.next if key != row.key], [row_above.key]
    section.rows[position - 1], section.rows[position] = row, row_above


def _make_section(
    name: str, activities: Sequence[Mapping[str, Any]], keys: Iterator[int]
) -> FlowSection:
    rows = {
        activity["code"]: ActivityRow(key=next(keys), **_select_row_fields(activity))
        for activity in activities
    }
    for activity in activities:
        rows[activity["code"]].next = [
            rows[code].key for code in activity.get("next", ()) if code in rows
        ]
    head = [row for code, row in rows.items() if code in HEAD_CODES]
    for row in head:
        row.next = []
    return FlowSection(
        name=name, head=head, rows=[row for code, row in rows.items() if code not in HEAD_CODES]
    )


def _select_row_fields(activity: Mapping[str, Any]) -> dict[str, Any]:
    known_values = {
        name: activity.get(name)
        for name in ActivityRow.__struct_fields__
        if name not in {"key", "next"}
    }
    return {name: value for name, value in known_values.items() if value is not None}


def _parse_row(form_data: FormData, key: int) -> ActivityRow:
    def text(name: str) -> str:
        return form_data.get(f"{key}.{name}", "").strip()

    return ActivityRow(
        key=key,
        code=text("code"),
        status=text("status"),
        details=text("details"),
        next=[parse_int(value) for value in form_data.get_all(f"{key}.next")],
        complete=text("complete") == "on",
        require_pod=text("require_pod") == "on",
        pod_method=text("pod_method"),
        pod_scope=text("pod_scope") or "order",
        scan_mismatch=text("scan_mismatch"),
        at=text("at"),
        color=text("color"),
        events=text("events").split(),
    )


def _parse_reason(form_data: FormData, number: int) -> FailureReasonRow:
    def text(name: str) -> str:
        return form_data.get(f"reason.{number}.{name}", "").strip()

    return FailureReasonRow(
        code=text("code"),
        label=text("label"),
        photo=text("photo") == "on",
        then=text("then") or "retry",
    )


def _parse_keys(text: str) -> list[int]:
    return [parse_int(word) for word in text.split()]


def parse_int(text: str) -> int:
    """Parse a number that our own form wrote; anything else is -1."""
    return int(text) if text.isdecimal() and len(text) < 6 else -1  # noqa: PLR2004 - digits


def _count_from(number: int) -> Iterator[int]:
    while True:
        yield number
        number += 1
