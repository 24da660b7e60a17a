"""Declarative forms: rendered empty or with a record's values, and parsed into JSON.

The API decides which values a field accepts. A form only converts text to JSON, and shows the
API's errors beside their fields.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal, get_args
from zoneinfo import ZoneInfo

import msgspec

from pannier.console import address_picks
from pannier.console.formatting import dig, parse_time
from pannier.console.session import FormData
from pannier.console.statuses import to_label
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid, Problem
from pannier.kit import wording
from pannier.kit.json_depth import is_too_deep
from pannier.web.versions import PreconditionFailed

FieldKind = Literal[
    "text", "email", "tel", "url", "password", "area", "number", "decimal", "choice", "choices",
    "switch", "moment", "day", "color", "json", "list", "pairs", "record", "point",
    # A time of day. Amounts in major units: whole minor units, or fractions of one.
    "time", "money", "price",
    # Minor units, or a percentage.
    "fee",
    # An uploaded picture. The form sends the file, and the suffix below to remove the picture.
    "picture",
]  # fmt: skip
REMOVE_SUFFIX: Final = "~remove"
LOCAL_FORMAT: Final = "%Y-%m-%dT%H:%M"
# Suffix of the hidden input beside a record field. It has the record's identifier, a space, and the
# name in the field.
PICKED_SUFFIX: Final = "~id"
# Suffix of the choice of records that match an ambiguous text. Its value is an identifier.
MATCH_SUFFIX: Final = "~match"
MAX_VALUE_LENGTH: Final = 200  # characters of a value in a message
STALE_MESSAGE: Final = (
    "This record was changed after you opened it. Check the saved values, then save again."
)


def to_options(literal: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401 - a literal type
    """Make options from a literal type of the API."""
    return tuple((word, to_label(word)) for word in get_args(literal))


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A form field: its path in the body, its label, and the kind of input."""

    name: str  # a dotted path: `retention.events`
    label: str
    kind: FieldKind = "text"
    help: str = ""
    required: bool = False
    options: Sequence[tuple[str, str]] = ()
    # For `record`, and `list` of records: the resources to search, separated by spaces.
    resource: str = ""
    # Whether text that matches no record is sent unchanged: an address or a new name.
    free: bool = False
    placeholder: str = ""
    default: str = ""
    # Whether the chosen option is a number, or true or false.
    numeric: bool = False
    # The path of the value in a record, if it differs from `name`.
    value_path: str = ""
    # Whether an empty field sends null. Otherwise it leaves the value unchanged.
    nullable: bool = True
    # Whether the field suggests addresses: as a whole, or as one part of the form's address.
    addresses: Literal["", "whole", "part"] = ""
    # Whether the form also shows the point as a pin on a map.
    pin: bool = False
    # Whether an empty input says that the form has these choices, although none is checked.
    marked: bool = False
    # Limits the field to the form of a new record or of a change.
    only: Literal["", "new", "edit"] = ""

    def format_value(self, record: Any, zone: ZoneInfo) -> str:  # noqa: ANN401 - any JSON
        """Format the value of a record for the form."""
        value = dig(record, self.value_path or self.name)
        return "" if value is None else _FORMATTERS.get(self.kind, _format_any)(value, zone)

    def list_choices(self, form_data: FormData) -> list[str]:
        """List the checked choices."""
        return [value for value in form_data.get_all(self.name) if value]

    def to_query(self, text: str, zone: ZoneInfo) -> str:
        """Convert a filter to the API's format. Times are in the company's zone."""
        return _parse_moment(text, zone) if self.kind == "moment" else text

    def parse(self, form_data: FormData, zone: ZoneInfo) -> Any:  # noqa: ANN401 - any JSON
        """Parse the input. An empty field is null."""
        if self.kind == "switch":
            return form_data.get(self.name) == "on"
        if self.kind == "choices":
            return self.list_choices(form_data)
        text = (
            form_data.get(self.name, "").strip()
            if self.kind != "password"
            else form_data[self.name]
        )
        if not text:
            return [] if self.kind == "list" else None
        kind = "number" if self.numeric else self.kind
        return _PARSERS.get(kind, _keep_text)(text, zone)


def _format_any(value: Any, _: ZoneInfo) -> str:  # noqa: ANN401 - any JSON
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _format_local(value: str, zone: ZoneInfo) -> str:
    return parse_time(value).astimezone(zone).strftime(LOCAL_FORMAT)


_FORMATTERS: Final[Mapping[str, Callable[[Any, ZoneInfo], str]]] = {
    "switch": lambda value, _: "on" if value else "",
    "moment": _format_local,
    "list": lambda value, _: "\n".join(map(str, value)),
    "choices": lambda value, _: "\n".join(map(str, value)),
    "pairs": lambda value, _: "\n".join(f"{name}: {text}" for name, text in value.items()),
    "point": lambda value, _: "{1}, {0}".format(*value["coordinates"]),
    "record": lambda value, _: str(value.get("id") if isinstance(value, dict) else value),
}


def _keep_text(text: str, _: ZoneInfo) -> Any:  # noqa: ANN401 - any JSON
    return text


def _parse_number(text: str, _: ZoneInfo) -> Any:  # noqa: ANN401 - a number, or the input
    """Parse a number, or true or false. The API rejects any other text."""
    try:
        return msgspec.json.decode(text, type=int | float | bool)
    except msgspec.DecodeError:
        return text


def _parse_moment(text: str, zone: ZoneInfo) -> str:
    """Parse a time in the company's zone, unless the text contains a zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).isoformat()


def _parse_json(text: str, _: ZoneInfo) -> Any:  # noqa: ANN401 - any JSON
    if is_too_deep(text.encode()):
        raise ValueError(wording.TOO_DEEP)
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(wording.describe_json_error(error, "This")) from None


def _parse_pairs(text: str, _: ZoneInfo) -> dict[str, str]:
    """Parse lines such as "Name: value"."""
    pairs = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"Write each line as Name: value. This line has no colon: {line}")
        pairs[name.strip()] = value.strip()
    return pairs


_PARSERS: Final[Mapping[str, Callable[[str, ZoneInfo], Any]]] = {
    "number": _parse_number,
    "money": _parse_number,
    "decimal": _keep_text,
    "moment": _parse_moment,
    "json": _parse_json,
    "list": lambda text, _: [line.strip() for line in text.splitlines() if line.strip()],
    "pairs": _parse_pairs,
    "record": lambda text, _: address_picks.parse_record(text),
}


class Form(msgspec.Struct, frozen=True):
    """The fields of a form, in order."""

    fields: Sequence[Field]

    def list_fields(self, mode: Literal["new", "edit"]) -> list[Field]:
        """List the fields for a new record or for a change."""
        return [field for field in self.fields if field.only in {"", mode}]

    def fill(self, record: Any, zone: ZoneInfo) -> dict[str, str]:  # noqa: ANN401 - any JSON
        """Return a record's values by field name."""
        return {field.name: field.format_value(record, zone) for field in self.fields}

    def refill(self, form_data: FormData) -> dict[str, str]:
        """Return the input by field name, to render the form again."""
        choices = [field for field in self.fields if field.kind == "choices"]
        return {
            **form_data,
            **{field.name: "\n".join(field.list_choices(form_data)) for field in choices},
        }

    def make_saved_value_notes(
        self,
        form_data: FormData,
        saved_values: Mapping[str, str],
        readable_values: Mapping[str, str],
    ) -> dict[str, str]:
        """Return a note with the saved value for each changed field, shown after an edit conflict.

        `readable_values` has the saved values, with record names instead of identifiers.
        """
        return {
            field.name: "Saved value: "
            + (readable_values.get(field.name, "")[:MAX_VALUE_LENGTH] or "none")
            for field in self._list_changed_fields(form_data, saved_values)
            if field.only != "new"
        }

    def make_body(
        self,
        form_data: FormData,
        zone: ZoneInfo,
        mode: Literal["new", "edit"] = "new",
        previous_values: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Build the request body. Empty fields are null in a change, and omitted otherwise.

        With `previous_values`, the body has changed fields only.
        """
        body: dict[str, Any] = {}
        errors = []
        changed_branches = self._list_changed_branches(
            form_data, {} if previous_values is None else previous_values
        )
        for field in self.list_fields(mode):
            # A browser sends nothing for a switch that is off, and a form may omit a field.
            if field.name not in form_data and field.kind not in {"switch", "choices"}:
                continue
            if previous_values is not None and _get_top_level_name(field) not in changed_branches:
                continue
            try:
                value = field.parse(form_data, zone)
            except ValueError as error:
                errors.append(Offence(field.name, str(error)))
                continue
            if value is not None or (mode == "edit" and field.nullable):
                _set_path(body, field.name, value)
        if errors:
            raise Invalid(fields=errors)
        return self.adapt_body(body)

    def adapt_body(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the body with a subclass's adaptations."""
        return body

    def _list_changed_branches(
        self, form_data: FormData, previous_values: Mapping[str, str]
    ) -> set[str]:
        """Return the body's top-level names that contain a changed field."""
        return {
            _get_top_level_name(field)
            for field in self._list_changed_fields(form_data, previous_values)
        }

    def _list_changed_fields(
        self, form_data: FormData, previous_values: Mapping[str, str]
    ) -> list[Field]:
        input_values = self.refill(form_data)
        return [
            field
            for field in self.fields
            if input_values.get(field.name, "").replace("\r\n", "\n")
            != previous_values.get(field.name, "")
        ]


def _get_top_level_name(field: Field) -> str:
    return field.name.partition(".")[0]


def _set_path(body: dict[str, Any], path: str, value: Any) -> None:  # noqa: ANN401 - any JSON
    *branches, name = path.split(".")
    for branch in branches:
        body = body.setdefault(branch, {})
    body[name] = value


class FormErrors(msgspec.Struct, frozen=True):
    """The errors of a refused form: in general, and by field."""

    sentence: str = ""
    fields: Mapping[str, str] = {}

    @classmethod
    def from_change(
        cls,
        problem: Problem,
        form: Form,
        form_data: FormData,
        saved_values: Mapping[str, str],
        readable_values: Mapping[str, str] | None = None,
    ) -> "FormErrors":
        """Create the errors of a refused change. An edit conflict shows the saved values."""
        if isinstance(problem, PreconditionFailed):
            return cls(
                STALE_MESSAGE,
                form.make_saved_value_notes(
                    form_data,
                    saved_values,
                    saved_values if readable_values is None else readable_values,
                ),
            )
        return cls.from_problem(problem, form)

    @classmethod
    def from_problem(cls, problem: Problem, form: Form) -> "FormErrors":
        """Assign the problem's errors to the form's fields."""
        names = {field.name for field in form.fields}
        field_errors = {
            offence.path: offence.message for offence in problem.fields if offence.path in names
        }
        other_errors = [
            f"{error.path}: {error.message}" for error in problem.fields if error.path not in names
        ]
        if problem.fields and not other_errors:
            return cls("Not saved. Check the marked fields.", field_errors)
        return cls(" ".join(other_errors) or problem.detail, field_errors)
