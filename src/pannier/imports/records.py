"""Turning rows of a file into the bodies of API requests. Pure rules."""

import copy
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Self

import msgspec

from pannier.errors import FieldError
from pannier.imports import cells
from pannier.imports.cells import CellContext
from pannier.imports.models import ImportResource, RowError
from pannier.imports.program import SheetRow
from pannier.imports.targets import (
    ITEM_PREFIX,
    ITEM_QUANTITY,
    ITEMS_PREFIX,
    ImportField,
    map_fields,
)
from pannier.payloads.schemas import MAX_QUANTITY

MAX_ITEMS: Final = 1000
# The fields that identify a record, the first ones that have a value.
KEY_FIELDS: Final[Mapping[ImportResource, Sequence[Sequence[str]]]] = {
    "places": (
        (
            "name", "street1", "street2", "building", "postal_code", "city", "country",
            "latitude", "longitude",
        ),
    ),
    "contacts": (("internal_id",), ("phone",), ("email",), ("name",)),
    "drivers": (("phone",),),
    "vehicles": (("plate_number",), ("vin",), ("make", "model", "year", "color", "type")),
    "service-rates": (("service_name",),),
    "orders": (("internal_id",),),
}  # fmt: skip
# Values of fields that are required, but that a file need not have.
DEFAULTS: Final[Mapping[ImportResource, Mapping[str, Any]]] = {
    "service-rates": {"service_type": "standard", "rate_calculation_method": "fixed_rate"},
}


class RowRefused(Exception):  # noqa: N818 - an outcome of a row
    """A row cannot be imported."""

    def __init__(self, *errors: RowError) -> None:
        super().__init__(*errors)
        self.errors = list(errors)


class MappedColumns:
    """The mapped columns of a file: where each is, and the field that it has."""

    def __init__(
        self, resource: ImportResource, headers: Sequence[str], mapping: Mapping[str, str]
    ) -> None:
        fields = map_fields(resource)
        self.resource = resource
        self.columns = [
            (position, header, fields[mapping[header]])
            for position, header in enumerate(headers)
            if header in mapping and mapping[header] in fields
        ]
        self._headers = {field.path: header for _, header, field in self.columns}

    def drop_columns(self, headers: Collection[str]) -> Self:
        """Return these columns without some of them."""
        if not headers:
            return self
        remaining = copy.copy(self)
        remaining.columns = [column for column in self.columns if column[1] not in headers]
        return remaining

    def list_columns(self, path: str) -> list[str]:
        """List the headers of the columns that are part of a field of a request."""
        path = _to_column_path(path)
        return [
            header
            for known_path, header in self._headers.items()
            if known_path == path or known_path.startswith(f"{path}.")
        ]

    def read_texts(self, row: SheetRow) -> dict[str, str]:
        """Return the texts of a row's mapped cells that are not empty, by path."""
        return {
            field.path: row.cells[position]
            for position, _, field in self.columns
            if row.cells[position]
        }

    def find_column(self, path: str) -> str | None:
        """Return the header of the column that a field of a request came from."""
        path = _to_column_path(path)
        return self._headers.get(path) or next(
            (
                header
                for known_path, header in self._headers.items()
                if known_path.startswith(f"{path}.")
            ),
            None,
        )

    def to_row_error(self, error: FieldError) -> RowError:
        """Describe an error of the API in terms of the file."""
        column = self.find_column(error.path)
        is_named = column is not None or not error.path
        return RowError(column, error.message if is_named else f"{error.path}: {error.message}")


def _to_column_path(path: str) -> str:
    """Return the path of the columns with a field of a request. All items have the same columns."""
    path = path.removeprefix("payload.")
    if not path.startswith(ITEMS_PREFIX):
        return path
    return ITEM_PREFIX + path.partition("].")[2] if "]." in path else ITEM_PREFIX.rstrip(".")


class RowGroup(msgspec.Struct):
    """Rows that make one record: one, or all adjacent ones of an order."""

    number: int
    key: bytes
    texts: list[tuple[int, dict[str, str]]]

    @property
    def last_number(self) -> int:
        return self.texts[-1][0]


def make_key(resource: ImportResource, texts: Mapping[str, str]) -> bytes:
    """Return the digest of a row's natural key, or of the whole row if it has none."""
    for paths in KEY_FIELDS[resource]:
        values = [" ".join(texts.get(path, "").casefold().split()) for path in paths]
        if any(values):
            # Phone numbers are the same however they are spaced.
            if paths == ("phone",):
                values = ["".join(value for value in values[0] if value in "+0123456789")]
            return _digest(*paths, *values)
    return _digest(*(f"{path}={text}" for path, text in sorted(texts.items())))


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\x1f".join(parts).encode()).digest()[:16]


class RowGrouper:
    """Groups adjacent rows of an order. Rows of other resources stay alone."""

    def __init__(self, columns: MappedColumns) -> None:
        self._columns = columns
        self._open_group: RowGroup | None = None

    @property
    def open_number(self) -> int | None:
        """The number of the first row of the group that is not complete yet."""
        return None if self._open_group is None else self._open_group.number

    def add(self, row: SheetRow) -> RowGroup | None:
        """Add a row, and return the group that it completes."""
        texts = self._columns.read_texts(row)
        key = make_key(self._columns.resource, texts)
        group = self._open_group
        if group is not None and self._columns.resource == "orders" and key == group.key:
            if len(group.texts) > MAX_ITEMS:
                # The order is refused already, and memory is limited. Remember where it ends.
                group.texts.pop()
            group.texts.append((row.number, texts))
            return None
        self._open_group = RowGroup(row.number, key, [(row.number, texts)])
        return group

    def finish(self) -> RowGroup | None:
        """Return the last group."""
        group, self._open_group = self._open_group, None
        return group


def build_body(
    columns: MappedColumns,
    group: RowGroup,
    context: CellContext,
    ignored_columns: Collection[str] = (),
) -> dict[str, Any]:
    """Build the body of the request that creates a record, or raise RowRefused."""
    columns = columns.drop_columns(ignored_columns)
    errors: list[RowError] = []
    body: dict[str, Any] = dict(DEFAULTS.get(columns.resource, {}))
    items: list[dict[str, Any]] = []
    for number, texts in group.texts:
        place = "" if number == group.number else f"Row {number}: "
        parsed = _parse_texts(columns, texts, context, errors, place)
        item = {
            path.removeprefix(ITEM_PREFIX): parsed.pop(path)
            for path in list(parsed)
            if path.startswith(ITEM_PREFIX)
        }
        if len(items) <= MAX_ITEMS:
            items += _check_item(item, columns, errors, place)
        _merge_values(body, parsed, columns, errors, place)
    if max(len(items), len(group.texts)) > MAX_ITEMS:
        errors.append(RowError(None, f"An order has at most {MAX_ITEMS:,} items."))
    if items:
        body["entities"] = items
    errors += [
        RowError(header, "This field is required.")
        for _, header, field in columns.columns
        if field.required and not any(texts.get(field.path) for _, texts in group.texts)
    ]
    if errors:
        raise RowRefused(*errors)
    return body


def _parse_texts(
    columns: MappedColumns,
    texts: Mapping[str, str],
    context: CellContext,
    errors: list[RowError],
    place: str,
) -> dict[str, Any]:
    """Parse a row's texts, and add the currencies of its amounts."""
    values: dict[str, Any] = {}
    for _, header, field in columns.columns:
        text = texts.get(field.path)
        if text is None:
            continue
        try:
            currency = _find_currency(field, texts, context)
            values[field.path] = cells.parse_cell(field, text, context, currency)
            if currency is not None:
                values[field.currency] = currency
        except ValueError as error:
            errors.append(RowError(header, place + str(error)))
    if columns.resource == "service-rates" and context.currency is not None:
        values.setdefault("currency", context.currency)
    return values


def _find_currency(
    field: ImportField, texts: Mapping[str, str], context: CellContext
) -> str | None:
    if field.kind != "money":
        return None
    return (texts.get(field.currency) or context.currency or "").upper() or None


def _check_item(
    item: dict[str, Any], columns: MappedColumns, errors: list[RowError], place: str
) -> Iterator[dict[str, Any]]:
    """Yield an item with a name, unless the row has no item or its quantity is impossible."""
    if not item.keys() - {"quantity"}:
        return
    if not 1 <= item.get("quantity", 1) <= MAX_QUANTITY:
        message = f"{place}must be between 1 and {MAX_QUANTITY:,}."
        errors.append(RowError(columns.find_column(ITEM_QUANTITY), message))
        return
    item.setdefault("name", item.get("sku") or item.get("description", "Item")[:200])
    yield item


def _merge_values(
    body: dict[str, Any],
    values: Mapping[str, Any],
    columns: MappedColumns,
    errors: list[RowError],
    place: str,
) -> None:
    """Merge a row's values into a body. Rows of an order must not contradict each other."""
    for path, value in values.items():
        *parents, name = path.split(".")
        target = body
        for parent in parents:
            target = target.setdefault(parent, {})
        if place and target.get(name, value) != value:
            message = f"{place}differs from the first row of the order."
            errors.append(RowError(columns.find_column(path), message))
        else:
            target[name] = value
