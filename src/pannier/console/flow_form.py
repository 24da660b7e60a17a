"""An order flow in the form, edited row by row.

Each row has a key that stays with it when it moves. So links between rows survive a change of their
codes, and input stays in its field.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from pannier.console.door import Sent
from pannier.console.flow_chart import HEAD

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
THENS: Final = (
    ("retry", "Retry"),
    ("hold", "Hold for a decision"),
    ("return", "Return"),
)


def made_code(words: str) -> str:
    """Make a code from a label."""
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")[:40]


class Row(msgspec.Struct, kw_only=True):
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
    color: str = ""
    events: list[str] = msgspec.field(default_factory=list)

    @property
    def words(self) -> str:
        return self.status or self.code or "New activity"

    @property
    def coded(self) -> str:
        """The code, or one made from the label."""
        return self.code or made_code(self.status)

    def activity(self, codes: Mapping[int, str]) -> dict[str, Any]:
        """Return the activity as the API takes it. A completing one has no next activity."""
        leads = [] if self.complete else [codes[key] for key in self.next if key in codes]
        return {
            "code": self.coded,
            "status": self.status,
            "details": self.details,
            "next": leads,
            "complete": self.complete,
            "require_pod": self.require_pod,
            "pod_method": self.pod_method or None,
            "pod_scope": self.pod_scope,
            "color": self.color or None,
            "events": self.events,
        }


class Reason(msgspec.Struct, kw_only=True):
    """A failure reason in the form."""

    code: str = ""
    label: str = ""
    photo: bool = False
    then: str = "retry"

    @property
    def coded(self) -> str:
        """The code, or one made from the label."""
        return self.code or made_code(self.label)

    @property
    def spelled(self) -> dict[str, Any]:
        """The reason as the API takes it."""
        return {
            "code": self.coded,
            "label": self.label,
            "photo": self.photo,
            "then": self.then,
        }


class Part(msgspec.Struct, kw_only=True):
    """A flow in the form: the order's own flow, which has no name, or a stop flow."""

    name: str
    rows: list[Row]
    head: list[Row] = msgspec.field(default_factory=list)

    @property
    def activities(self) -> list[dict[str, Any]]:
        """The activities as the API takes them, the head first."""
        codes = {row.key: row.coded for row in self.rows}
        return [row.activity(codes) for row in (*self.head, *self.rows)]

    @property
    def names(self) -> dict[int, str]:
        """The label of each row, by key."""
        return {row.key: row.words for row in self.rows}

    @property
    def own(self) -> list[dict[str, Any]]:
        """The activities without the head."""
        return self.activities[len(self.head) :]

    @property
    def drawn(self) -> list[dict[str, Any]]:
        """The activities of the chart: the start, which leads to the first ones, and the rest."""
        own = self.own
        return [
            {**one, "next": entries(own)} for one in self.activities[: len(self.head)][-1:]
        ] + own

    def leading_nowhere(self) -> list[Row]:
        """List the rows that no other row leads to."""
        led_to = {
            key for row in self.rows if not row.complete for key in row.next if key != row.key
        }
        return [row for row in self.rows if row.key not in led_to]


def entries(activities: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the codes that a flow begins with: those that no other leads to, or the first."""
    led_to = {code for one in activities for code in one["next"] if code != one["code"]}
    roots = [one["code"] for one in activities if one["code"] not in led_to]
    return roots or [one["code"] for one in activities[:1]]


class Draft(msgspec.Struct, kw_only=True):
    """An order flow in the form."""

    name: str = ""
    key: str = ""
    description: str = ""
    status: str = "active"
    parts: list[Part]
    reasons: list[Reason] = msgspec.field(default_factory=list)

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "Draft":
        keys = _numbers(1)
        flows = {"": config["flow"], **config.get("subflows", {})}
        return cls(
            name=config["name"],
            key=config.get("key", ""),
            description=config.get("description", ""),
            status=config.get("status", "active"),
            parts=[_part(name, activities, keys) for name, activities in flows.items()],
            reasons=msgspec.convert(config.get("failure_reasons", []), list[Reason]),
        )

    @classmethod
    def read(cls, sent: Sent) -> "Draft":
        parts = []
        for number in range(int_of(sent.get("parts", "0"))):
            own, rows = _keys(sent.get(f"{number}.head", "")), _keys(sent.get(f"{number}.rows", ""))
            parts.append(
                Part(
                    name=sent.get(f"{number}.name", "").strip(),
                    head=[_row(sent, key) for key in own],
                    rows=[_row(sent, key) for key in rows],
                )
            )
        told = {name: sent.get(name, "").strip() for name in ("name", "key", "description")}
        status = sent.get("status", "active")
        reasons = [_reason(sent, number) for number in range(int_of(sent.get("reasons", "0")))]
        return cls(
            **told,
            status=status,
            parts=parts or [Part(name="", rows=[])],
            reasons=[reason for reason in reasons if reason.label or reason.code],
        )

    def body(self, *, new: bool) -> dict[str, Any]:
        """Return the body of the API call."""
        own, *stops = self.parts
        made = {
            "name": self.name,
            "description": self.description,
            "status": self.status,
            "flow": own.activities,
            "subflows": {part.name: part.activities for part in stops},
            "failure_reasons": [reason.spelled for reason in self.reasons if reason.coded],
        }
        return {**made, "key": self.key} if new and self.key else made

    def do(self, wish: str) -> None:
        """Apply a button's command. One about a row that is gone does nothing."""
        verb, _, about = wish.partition(".")
        number = int_of(about)
        if verb == "stops":
            self.parts.append(
                Part(
                    name=f"stop-{len(self.parts)}", rows=[self._fresh(status="Done", complete=True)]
                )
            )
        elif verb == "reason":
            self.reasons.append(Reason())
        elif verb == "unreason" and 0 <= number < len(self.reasons):
            del self.reasons[number]
        elif verb == "unstop" and 0 < number < len(self.parts):
            del self.parts[number]
        elif verb == "add" and number < len(self.parts):
            self._add(self.parts[number], None)
        elif (found := self._found(number)) is not None:
            {"below": self._add, "remove": _remove, "up": _up, "down": _down}.get(verb, _nothing)(
                *found
            )

    def _found(self, key: int) -> tuple[Part, Row] | None:
        places = ((part, row) for part in self.parts for row in part.rows if row.key == key)
        return next(places, None)

    def _fresh(self, *, status: str = "", complete: bool = False) -> Row:
        taken = [row.key for part in self.parts for row in (*part.head, *part.rows)]
        return Row(key=max(taken, default=0) + 1, status=status, complete=complete)

    def _add(self, part: Part, after: Row | None) -> None:
        """Insert a row between a row and its next ones, or before the end."""
        made = self._fresh()
        open_rows = [row for row in part.rows if not row.complete]
        before = after or (open_rows[-1] if open_rows else None)
        at = len(part.rows) if before is None else part.rows.index(before) + 1
        if before is not None and not before.complete:
            made.next, before.next = before.next, [made.key]
        elif before is None:
            made.next, at = [row.key for row in part.leading_nowhere()], 0
        part.rows.insert(at, made)


def _nothing(_: Part, __: Row) -> None:
    """Ignore an unknown command."""


def _remove(part: Part, row: Row) -> None:
    """Remove a row, and link the rows that led to it with its next ones."""
    part.rows.remove(row)
    onward = [] if row.complete else row.next
    for one in part.rows:
        if row.key in one.next:
            at = one.next.index(row.key)
            fitting = [key for key in onward if key not in {*one.next, one.key}]
            one.next[at : at + 1] = fitting


def _down(part: Part, row: Row) -> None:
    at = part.rows.index(row)
    if at + 1 < len(part.rows):
        _up(part, part.rows[at + 1])


def _up(part: Part, row: Row) -> None:
    """Move a row up. If the row above leads only to it, reverse their links, too."""
    at = part.rows.index(row)
    if at == 0:
        return
    above = part.rows[at - 1]
    if above.next == [row.key] and not (row.complete or above.complete):
        for one in part.rows:
            if one is not above:
                one.next = [row.key if key == above.key else key for key in one.next]
        above.next, row.next = [key for key in row.next if key != row.key], [above.key]
    part.rows[at - 1], part.rows[at] = row, above


def _part(name: str, activities: Sequence[Mapping[str, Any]], keys: Iterator[int]) -> Part:
    rows = {one["code"]: Row(key=next(keys), **_fields(one)) for one in activities}
    for one in activities:
        rows[one["code"]].next = [rows[code].key for code in one.get("next", ()) if code in rows]
    head = [row for code, row in rows.items() if code in HEAD]
    for row in head:
        row.next = []
    return Part(name=name, head=head, rows=[row for code, row in rows.items() if code not in HEAD])


def _fields(one: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: one.get(name) for name in Row.__struct_fields__ if name not in {"key", "next"}}
    return {name: value for name, value in kept.items() if value is not None}


def _row(sent: Sent, key: int) -> Row:
    def text(name: str) -> str:
        return sent.get(f"{key}.{name}", "").strip()

    return Row(
        key=key,
        code=text("code"),
        status=text("status"),
        details=text("details"),
        next=[int_of(value) for value in sent.all(f"{key}.next")],
        complete=text("complete") == "on",
        require_pod=text("require_pod") == "on",
        pod_method=text("pod_method"),
        pod_scope=text("pod_scope") or "order",
        color=text("color"),
        events=text("events").split(),
    )


def _reason(sent: Sent, number: int) -> Reason:
    def text(name: str) -> str:
        return sent.get(f"reason.{number}.{name}", "").strip()

    return Reason(
        code=text("code"),
        label=text("label"),
        photo=text("photo") == "on",
        then=text("then") or "retry",
    )


def _keys(text: str) -> list[int]:
    return [int_of(word) for word in text.split()]


def int_of(text: str) -> int:
    """Parse a number that our own form wrote; anything else is -1."""
    return int(text) if text.isdecimal() and len(text) < 6 else -1  # noqa: PLR2004 - digits


def _numbers(begin: int) -> Iterator[int]:
    while True:
        yield begin
        begin += 1
