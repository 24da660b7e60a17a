"""Parsing of payload, stop and item fields. Pure rules."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Self

import msgspec

from pannier.errors import FieldError, Invalid, join_path, parse_field
from pannier.kit import money
from pannier.kit.meta import MetaPatch
from pannier.payloads.models import Entity, Payload, Waypoint
from pannier.payloads.schemas import EntityFields, PayloadChange, StopFields, WaypointChange
from pannier.web import fields
from pannier.web.fields import get_sent_fields
from pannier.web.validation_errors import MAX_ERRORS

REQUIRED: Final = "This field is required."
# Fields that refer to other records and are resolved elsewhere.
_REFERENCE_FIELDS: Final = frozenset(
    {
        "place", "contact", "pickup", "dropoff", "return_", "waypoints",
        "entities", "destination", "customer", "supplier",
    }
)  # fmt: skip
_REQUIRED_TEXTS: Final = frozenset({"name", "type"})
_AMOUNT_FIELDS: Final = ("declared_value", "price", "sale_price")


def parse_currency(text: str) -> str:
    code = text.upper()
    if code not in money.CURRENCIES:
        raise ValueError("must be a currency code of three letters, such as SGD.")
    return code


def parse_codes(codes: list[str]) -> list[str]:
    """Parse the expected scan codes, and drop duplicates."""
    stripped_codes = [code.strip() for code in codes]
    if not all(stripped_codes):
        raise ValueError("must not contain an empty code.")
    return list(dict.fromkeys(stripped_codes))


RULES: Final[fields.NormalisationRules] = {
    "meta": fields.check_meta,
    "cod_currency": parse_currency,
    "currency": parse_currency,
    "expected_codes": parse_codes,
}


def parse_payload_columns(data: PayloadChange, row: Payload | None) -> dict[str, Any]:
    """Parse the columns of a payload in a request, without its places, stops and items."""
    columns = _normalise(data, PayloadChange)
    errors = _check_cash_currency(_merge_row(row, columns))
    if errors:
        raise Invalid(fields=errors)
    return columns


def _check_cash_currency(values: Mapping[str, Any]) -> list[FieldError]:
    if values.get("cod_amount") is None or values.get("cod_currency") is not None:
        return []
    return [FieldError("cod_currency", "This field is required with an amount.")]


def parse_waypoint_columns(data: WaypointChange, row: Waypoint | None) -> dict[str, Any]:
    """Parse the columns of a stop in a request, without its place and contact."""
    columns = _normalise(data, StopFields, never_empty=_REQUIRED_TEXTS)
    merged_values = _merge_row(row, columns)
    errors = _check_cash_currency(merged_values)
    start, end = merged_values.get("time_window_start"), merged_values.get("time_window_end")
    if start is not None and end is not None and start > end:
        errors.append(FieldError("time_window_end", "must not be before `time_window_start`."))
    if merged_values.get("pod_required") and merged_values.get("pod_method") is None:
        errors.append(FieldError("pod_method", "This field is required when a proof is required."))
    if errors:
        raise Invalid(fields=errors)
    return columns


def parse_entity_columns(data: EntityFields, row: Entity | None) -> dict[str, Any]:
    """Parse the columns of an item in a request, without its references."""
    columns = _normalise(data, EntityFields, never_empty=_REQUIRED_TEXTS)
    merged_values = _merge_row(row, columns)
    errors = _check_cash_currency(merged_values)
    if "name" not in merged_values:
        errors.append(FieldError("name", REQUIRED))
    if (
        any(merged_values.get(name) is not None for name in _AMOUNT_FIELDS)
        and merged_values.get("currency") is None
    ):
        errors.append(FieldError("currency", "This field is required with an amount."))
    if errors:
        raise Invalid(fields=errors)
    return columns


def _normalise(
    data: msgspec.Struct,
    fields_type: type[msgspec.Struct],
    *,
    never_empty: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    columns = _list_columns(fields_type)
    values = {name: value for name, value in get_sent_fields(data).items() if name in columns}
    return fields.normalise(values, RULES, never_empty=never_empty)


@lru_cache
def _list_columns(fields_type: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(fields_type.__struct_fields__) - _REFERENCE_FIELDS


def _merge_row(row: msgspec.Struct | None, columns: dict[str, Any]) -> Mapping[str, Any]:
    """Merge a request's columns into the row. `meta` may be patched key by key."""
    if isinstance(columns.get("meta"), MetaPatch):
        columns["meta"] = parse_field("meta", columns["meta"].apply, getattr(row, "meta", None))
    return columns if row is None else msgspec.structs.asdict(row) | dict(columns)


class FaultCollector:
    """Collects the errors in all parts of a request, to report them together."""

    def __init__(self, path: str = "") -> None:
        self._path = self._part = path
        self._fields: list[FieldError] = []

    def collect_at(self, name: str = "") -> Self:
        """Collect errors of the part with this name, for use in a `with` statement."""
        self._part = join_path(self._path, name)
        return self

    def __enter__(self) -> None:
        """Start collecting for the part that `collect_at` named."""

    def __exit__(self, _: object, exception: BaseException | None, __: object) -> bool:
        """Collect the part's Invalid error, and let any other exception pass."""
        if not isinstance(exception, Invalid):
            return False
        self._fields += [
            FieldError(join_path(self._part, error.path), error.message)
            for error in exception.fields
        ]
        return True

    def raise_faults(self) -> None:
        """Raise Invalid if any part had an error."""
        if self._fields:
            raise Invalid(fields=self._fields[:MAX_ERRORS])
