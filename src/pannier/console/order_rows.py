"""The stops and items in the forms of orders, as rows that can be added, moved and removed."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self, get_args
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec

from pannier.console import amounts, lookup, order_cash
from pannier.console.api_client import ApiClient
from pannier.console.forms import PICKED_SUFFIX, Field, to_options
from pannier.console.order_cash import AMOUNT, CURRENCY
from pannier.console.session import FormData
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid
from pannier.payloads.models import StopType, WeightUnit

STOPS: Final = "waypoints"
ITEMS: Final = "entities"
# Rows of each list that a form shows. It leaves further rows unchanged.
MAX_ROWS: Final = 40
# If a form has more rows in both lists, they are collapsed, because each has many fields.
MAX_OPEN_ROWS: Final = 10
# The icons of the rows, included once in the page.
ROW_ICONS: Final = ("arrow-up", "arrow-down", "trash-2", "pencil")
# Marks a row that was opened. It is sent with the row, and moves with it.
OPENED: Final = "opened"
CONTACT: Final = "contact"
PHONE: Final = "contact.phone"
# Fields that are not sent to the API as they are.
OWN_RULES: Final = frozenset({CONTACT, PHONE, AMOUNT.name})
CONTACT_NEEDED: Final = "Enter the contact's name."
# The fields of a row in each list. Their names are paths in the API's stops and items.
STOP_FIELDS: Final = (
    Field(
        name="place", label="Stop", kind="record", resource="places", free=True, addresses="whole",
        nullable=False, value_path="place.id",
    ),
    Field(name="type", label="Type", kind="choice", options=to_options(StopType), nullable=False,
          default="dropoff"),
    AMOUNT,
    Field(name=CONTACT, label="Contact", kind="record", resource="contacts", free=True,
          help="An existing contact or a new name."),
    Field(name=PHONE, label="Contact's phone", kind="tel", value_path="recipient.phone"),
    Field(name="time_window_start", label="Earliest", kind="moment"),
    Field(name="time_window_end", label="Latest", kind="moment"),
    Field(name="service_time", label="Service time (seconds)", kind="number"),
    Field(name="notes", label="Notes for the driver"),
)  # fmt: skip
ITEM_FIELDS: Final = (
    Field(name="name", label="Item", nullable=False),
    Field(name="sku", label="SKU"),
    Field(name="quantity", label="Quantity", kind="number", nullable=False, default="1"),
    Field(name="weight", label="Weight", kind="number"),
    Field(name="weight_unit", label="Unit", kind="choice",
          options=[(unit, unit) for unit in get_args(WeightUnit)], nullable=False, default="kg"),
    AMOUNT,
    Field(name="destination", label="Deliver to", kind="choice", placeholder="Last drop-off",
          numeric=True),
)  # fmt: skip
ROW_FIELDS: Final[Mapping[str, Sequence[Field]]] = {STOPS: STOP_FIELDS, ITEMS: ITEM_FIELDS}
# Fields that have a value in a new row.
PRESET_FIELDS: Final = frozenset({"type", "quantity", "weight_unit", OPENED})
# Fields that are not set beside the others of a row.
MORE_FIELDS: Final = frozenset(
    {CONTACT, PHONE, "time_window_start", "time_window_end", "service_time", "notes"}
)
_ROW: Final = re.compile(
    r"(waypoints|entities)\[(\d{1,3})\]\.([a-z_]+(?:\.[a-z_]+)?(?:~id|~match)?)"
)
_COMMAND: Final = re.compile(r"(up|down|remove|open) (waypoints|entities) (\d{1,3})")


class OrderFormData(NamedTuple):
    """The submitted form without empty rows. The other rows are renumbered."""

    form_data: FormData
    counts: Mapping[str, int]

    @classmethod
    def from_form(cls, values: Mapping[str, str]) -> Self:
        rows_by_list: dict[str, dict[int, dict[str, str]]] = {name: {} for name in ROW_FIELDS}
        fields = {}
        for name, value in values.items():
            if match := _ROW.fullmatch(name):
                rows_by_list[match[1]].setdefault(int(match[2]), {})[match[3]] = value
            else:
                fields[name] = value
        numbers = {
            name: [number for number, row in sorted(rows.items()) if _is_filled(row)]
            for name, rows in rows_by_list.items()
        }
        return cls._from_rows(fields, rows_by_list, numbers)

    @classmethod
    def _from_rows(
        cls,
        fields: Mapping[str, str],
        rows_by_list: Mapping[str, Mapping[int, Mapping[str, str]]],
        numbers: Mapping[str, Sequence[int]],
    ) -> Self:
        """Build the form of these rows, renumbered in this sequence."""
        values = dict(fields)
        stop_numbers = {str(number): str(new) for new, number in enumerate(numbers[STOPS])}
        for name, rows in rows_by_list.items():
            for new_number, number in enumerate(numbers[name]):
                row = dict(rows[number])
                if row.get("destination"):
                    row["destination"] = stop_numbers.get(row["destination"], "")
                values |= {f"{name}[{new_number}].{field}": value for field, value in row.items()}
        counts = {name: len(numbers[name]) for name in ROW_FIELDS}
        return cls(FormData(urlencode(values).encode()), counts)

    def apply_command(self, command: str) -> Self:
        """Open, move or remove a row. Other commands change nothing."""
        match = _COMMAND.fullmatch(command)
        if match is None or int(match[3]) >= self.counts[match[2]]:
            return self
        verb, name, number = match[1], match[2], int(match[3])
        if verb == "open":
            values = {**self.form_data, f"{name}[{number}].{OPENED}": "on"}
            return self._replace(form_data=FormData(urlencode(values).encode()))
        numbers = {key: list(range(count)) for key, count in self.counts.items()}
        numbers[name].remove(number)
        if verb != "remove":
            numbers[name].insert(max(number + (1 if verb == "down" else -1), 0), number)
        rows_by_list = {
            key: {row: self.get_row(key, row) for row in range(count)}
            for key, count in self.counts.items()
        }
        fields = {key: text for key, text in self.form_data.items() if not _ROW.fullmatch(key)}
        return self._from_rows(fields, rows_by_list, numbers)

    def get_row(self, name: str, number: int) -> dict[str, str]:
        """Return the input of a row, by field."""
        prefix = f"{name}[{number}]."
        return {
            key.removeprefix(prefix): value
            for key, value in self.form_data.items()
            if key.startswith(prefix)
        }

    def list_fields(self) -> list[Field]:
        """List the fields of all rows."""
        return [cell for name in ROW_FIELDS for row in self.list_rows(name) for cell in row]

    def list_rows(self, name: str, extra: int = 0) -> Iterator[list[Field]]:
        """Yield the fields of each row, and of more rows that are empty."""
        return list_row_fields(name, self.counts[name] + extra, self.counts[STOPS])


def _is_filled(row: Mapping[str, str]) -> bool:
    """Return whether a row has any input. Some fields always have a value."""
    return any(value.strip() for field, value in row.items() if field not in PRESET_FIELDS)


def list_row_fields(name: str, count: int, stop_count: int) -> Iterator[list[Field]]:
    """Yield the fields of each row. Their names match the paths in the API's errors."""
    stops = [(str(number), f"Stop {number + 1}") for number in range(stop_count)]
    for number in range(count):
        yield [
            msgspec.structs.replace(
                field,
                name=f"{name}[{number}].{field.name}",
                options=stops if field.name == "destination" else field.options,
            )
            for field in ROW_FIELDS[name]
            if stops or field.name != "destination"
        ]


class FormRow(NamedTuple):
    """A row on the page."""

    name: str
    number: int
    # Of a stop or an item that the order has already.
    id: str
    fields: Sequence[Field]
    # Fields that are shown on request, and whether they are shown.
    more: Sequence[Field]
    is_expanded: bool
    # Whether work at the stop has begun, so that only its notes can be changed.
    is_locked: bool
    # Whether the row stays where it is.
    is_fixed: bool
    # The inputs of a collapsed row by name; None if the row shows its fields.
    collapsed_inputs: Mapping[str, str] | None


def make_form_rows(
    order_form: OrderFormData,
    *,
    extra: Collection[str] = (),
    locked_ids: Collection[str] = (),
    fixed_ids: Collection[str] = (),
    errors: Collection[str] = (),
) -> dict[str, list[FormRow]]:
    """Make the rows of both lists for the page, with an empty one in the lists in `extra`.

    `errors` are the names of the fields that were refused.
    """
    values = order_form.form_data
    has_many = sum(order_form.counts.values()) > MAX_OPEN_ROWS
    rows: dict[str, list[FormRow]] = {}
    for name in ROW_FIELDS:
        rows[name] = []
        for number, fields in enumerate(order_form.list_rows(name, extra=name in extra)):
            inputs = order_form.get_row(name, number)
            is_open = OPENED in inputs or any(field.name in errors for field in fields)
            is_collapsed = has_many and bool(inputs) and not is_open
            identifier = values.get(f"{name}[{number}].id", "")
            more = [field for field in fields if get_name(field) in MORE_FIELDS]
            rows[name].append(
                FormRow(
                    name,
                    number,
                    identifier,
                    [field for field in fields if field not in more],
                    more,
                    any(values.get(field.name) or field.name in errors for field in more),
                    identifier in locked_ids,
                    identifier in fixed_ids,
                    {f"{name}[{number}].{key}": text for key, text in inputs.items()}
                    if is_collapsed
                    else None,
                )
            )
    return rows


def get_name(field: Field) -> str:
    """Return the name of a row's field without its list and number."""
    return field.name.partition("].")[2]


def fill_rows(payload: Any, zone: ZoneInfo) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Return the values of an order's stops and items by field name."""
    values: dict[str, str] = {}
    stop_numbers = {stop["id"]: str(number) for number, stop in enumerate(payload[STOPS])}
    for name, fields in ROW_FIELDS.items():
        for number, part in enumerate(payload[name][:MAX_ROWS]):
            texts = fill_row(name, part, stop_numbers, zone)
            values |= {
                f"{name}[{number}].{field.name}": texts[field.name]
                for field in fields
                if texts[field.name]
            }
            values[f"{name}[{number}].id"] = part["id"]
            if name == STOPS:
                values |= _fill_picks(f"{name}[{number}].", part)
    return values


def fill_row(
    name: str,
    part: Any,  # noqa: ANN401 - JSON
    stop_numbers: Mapping[str, str],
    zone: ZoneInfo,
) -> dict[str, str]:
    """Return the values of a stop or an item by field name."""
    texts = {field.name: field.format_value(part, zone) for field in ROW_FIELDS[name]}
    if part[AMOUNT.name]:
        texts[AMOUNT.name] = amounts.to_major(part[AMOUNT.name], part[CURRENCY.name])
    else:
        texts[AMOUNT.name] = ""
    if name == ITEMS:
        texts["destination"] = stop_numbers.get(part["destination"] or "", "")
    return texts


def _fill_picks(prefix: str, stop: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Return the names of a stop's place and contact, beside their identifiers."""
    label = stop["name"] or stop["address"]
    picks = {
        f"{prefix}place": label,
        f"{prefix}place{PICKED_SUFFIX}": f"{stop['place']['id']} {label}",
    }
    if stop[CONTACT] and stop["recipient"]:
        name = stop["recipient"]["name"]
        picks |= {
            f"{prefix}{CONTACT}": name,
            f"{prefix}{CONTACT}{PICKED_SUFFIX}": f"{stop[CONTACT]} {name}",
        }
    return picks


async def resolve_rows(
    client: ApiClient,
    order_form: OrderFormData,
    other_fields: Sequence[Field],
    previous_values: Mapping[str, str] | None = None,
) -> OrderFormData:
    """Replace typed names by identifiers. Keep the names of contacts with a new phone number."""
    texts, previous_texts = order_form.form_data, previous_values or {}
    fields = [
        field
        for field in order_form.list_fields()
        if get_name(field) != CONTACT or not _is_new_person(texts, previous_texts, field.name)
    ]
    resolved = await lookup.resolve_form(client, [*other_fields, *fields], texts, previous_values)
    return order_form._replace(form_data=resolved)


def _is_new_person(
    texts: Mapping[str, str], previous_texts: Mapping[str, str], contact: str
) -> bool:
    """Return whether a contact's name and phone number describe a person."""
    phone = contact.removesuffix(CONTACT) + PHONE
    return bool(texts.get(phone, "").strip()) and texts.get(phone) != previous_texts.get(phone, "")


def read_row(
    order_form: OrderFormData,
    fields: Sequence[Field],
    zone: ZoneInfo,
    previous_texts: Mapping[str, str],
) -> dict[str, Any]:
    """Return the changed fields of a row in the API's format. All fields of a new row are new.

    `previous_texts` are the values by field, with identifiers for places and contacts.
    """
    body: dict[str, Any] = {}
    errors = []
    row = {get_name(field): order_form.form_data.get(field.name, "").strip() for field in fields}
    for field in fields:
        name = get_name(field)
        is_unchanged = row[name] == previous_texts.get(name, "")
        if field.name not in order_form.form_data or is_unchanged or name in OWN_RULES:
            continue
        if not row[name] and not field.nullable and previous_texts:
            errors.append(Offence(field.name, "This field is required."))
        else:
            value = field.parse(order_form.form_data, zone)
            body |= {name: value} if value is not None or previous_texts else {}
    contact = next((field.name for field in fields if get_name(field) == CONTACT), None)
    is_same_person = all(row.get(name) == previous_texts.get(name, "") for name in (CONTACT, PHONE))
    if contact in order_form.form_data and not is_same_person:
        body |= _make_contact(row, previous_texts, str(contact))
    if errors:
        raise Invalid(fields=errors)
    return body


def _make_contact(
    row: Mapping[str, str], previous_texts: Mapping[str, str], path: str
) -> dict[str, Any]:
    """Return a stop's contact in the API's format: an identifier, a person, or none."""
    name, phone = row[CONTACT], row[PHONE]
    if lookup.is_identifier(name) and phone in {"", previous_texts.get(PHONE, "")}:
        return {CONTACT: name}
    if not name and phone not in {"", previous_texts.get(PHONE, "")}:
        raise Invalid(fields=[Offence(path, CONTACT_NEEDED)])
    if not name:
        return {CONTACT: None} if previous_texts else {}
    return {CONTACT: {"name": name, **({"phone": phone} if phone else {})}}


def read_cash(text: str, currency: str) -> dict[str, Any]:
    """Return the cash of a stop or an item in the API's format, by its minor units."""
    if not text.strip() or text.strip() == "0":
        return {AMOUNT.name: None}
    try:
        return {AMOUNT.name: int(text), CURRENCY.name: currency}
    except ValueError:
        return {AMOUNT.name: text, CURRENCY.name: currency}


def to_minor_amounts(order_form: OrderFormData, fields: Sequence[Field]) -> OrderFormData:
    """Convert the form's amounts to minor units."""
    all_fields = [*fields, *order_form.list_fields()]
    return order_form._replace(
        form_data=order_cash.to_minor_amounts(order_form.form_data, all_fields)
    )
