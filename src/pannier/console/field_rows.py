"""Lists of rows in forms. Fields have the same names as in the API's errors."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import msgspec

from pannier.console.forms import Field
from pannier.console.session import FormData

ADD: Final = "add"
REMOVE: Final = "remove"
MAX_ROWS: Final = 300


class FieldRows(msgspec.Struct, frozen=True, kw_only=True):
    """A list in a form: `name[0].fee` is the fee of its first row."""

    name: str
    label: str
    columns: Sequence[Field]
    noun: str
    help: str = ""

    def list_cells(self, number: int) -> list[Field]:
        """Return the fields of a row."""
        return [
            msgspec.structs.replace(column, name=f"{self.name}[{number}].{column.name}")
            for column in self.columns
        ]

    def list_fields(self, count: int) -> list[Field]:
        """Return the fields of the first `count` rows."""
        return [cell for number in range(count) for cell in self.list_cells(number)]

    def fill(self, rows: Sequence[Any], zone: ZoneInfo) -> dict[str, str]:
        """Return the values of the rows by field name."""
        return {
            f"{self.name}[{number}].{column.name}": column.format_value(row, zone)
            for number, row in enumerate(rows)
            for column in self.columns
        }

    def count(self, values: Mapping[str, str]) -> int:
        """Return the number of rows."""
        return 1 + max(self._list_row_numbers(values), default=-1)

    def read_rows(self, form_data: FormData, action: str = "") -> dict[str, list[str]]:
        """Return the submitted rows, after applying an add or remove button.

        Empty rows are left out, because the API would refuse them.
        """
        verb, _, target = action.partition(":")
        numbers = [
            number
            for number in self._list_row_numbers(form_data)
            if self._has_text(form_data, number)
        ]
        if verb == REMOVE:
            numbers = [
                row_number for row_number in numbers if target != f"{self.name}[{row_number}]"
            ]
        rows = [
            {
                cell.name.rpartition(".")[2]: form_data.get_all(cell.name)
                for cell in self.list_cells(number)
            }
            for number in numbers[:MAX_ROWS]
        ]
        if verb == ADD and target == self.name:
            rows.append({column.name: [""] for column in self.columns})
        return {
            f"{self.name}[{number}].{name}": values
            for number, row in enumerate(rows)
            for name, values in row.items()
        }

    def make_body(self, body_fields: Mapping[str, Any]) -> list[Any]:
        """Return the rows from a form's parsed fields, for the request body."""
        return [
            body_fields[f"{self.name}[{number}]"] for number in self._list_row_numbers(body_fields)
        ]

    def _list_row_numbers(self, fields_by_name: Mapping[str, Any]) -> list[int]:
        matches = (re.match(rf"{self.name}\[(\d{{1,3}})\]", name) for name in fields_by_name)
        return sorted({int(match[1]) for match in matches if match})

    def _has_text(self, form_data: FormData, number: int) -> bool:
        """Return whether a row has any input. Preselected options do not count."""
        return any(
            "".join(form_data.get_all(cell.name)).strip()
            for cell in self.list_cells(number)
            if cell.kind != "choice" or not cell.required
        )


def normalise_rows(
    form_data: FormData, field_lists: Sequence[FieldRows], action: str = ""
) -> FormData:
    """Apply an add or remove button, and renumber the rows of all lists."""
    names = tuple(f"{field_rows.name}[" for field_rows in field_lists)
    pairs = [
        (name, value)
        for name in form_data
        if not name.startswith(names)
        for value in form_data.get_all(name)
    ]
    for field_rows in field_lists:
        pairs += [
            (name, value)
            for name, cell_values in field_rows.read_rows(form_data, action).items()
            for value in cell_values
        ]
    return FormData(urlencode(pairs).encode())


def to_form_data(values: Mapping[str, str], fields: Iterable[Field]) -> FormData:
    """Convert values to form data, as if a browser had sent them."""
    multiple_names = {field.name for field in fields if field.kind == "choices"}
    pairs = [
        (name, value)
        for name, text in values.items()
        for value in (text.split("\n") if name in multiple_names else [text])
        if value
    ]
    return FormData(urlencode(pairs).encode())
