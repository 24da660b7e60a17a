"""Normalisation of payload, stop and item fields. Pure rules."""

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
_NAMES: Final = frozenset(
    {
        "place", "contact", "pickup", "dropoff", "return_", "waypoints",
        "entities", "destination", "customer", "supplier",
    }
)  # fmt: skip
_NEVER_EMPTY: Final = frozenset({"name", "type"})
_AMOUNTS: Final = ("declared_value", "price", "sale_price")


def parse_currency(text: str) -> str:
    code = text.upper()
    if code not in money.CURRENCIES:
        raise ValueError("must be a currency code of three letters, such as SGD.")
    return code


def parse_codes(codes: list[str]) -> list[str]:
    """Parse the expected scan codes, and drop duplicates."""
    stripped = [code.strip() for code in codes]
    if not all(stripped):
        raise ValueError("must not contain an empty code.")
    return list(dict.fromkeys(stripped))


RULES: Final[fields.NormalisationRules] = {
    "meta": fields.check_meta,
    "cod_currency": parse_currency,
    "currency": parse_currency,
    "expected_codes": parse_codes,
}


def payload_columns(data: PayloadChange, row: Payload | None) -> dict[str, Any]:
    """Return the columns of a payload in a request, without its places, stops and items."""
    columns = _normalise(data, PayloadChange)
    merged = _merge_row(row, columns)
    if merged.get("cod_amount") is not None and merged.get("cod_currency") is None:
        raise Invalid(fields=[FieldError("cod_currency", "This field is required with an amount.")])
    return columns


def waypoint_columns(data: WaypointChange, row: Waypoint | None) -> dict[str, Any]:
    """Return the columns of a stop in a request, without its place and contact."""
    columns = _normalise(data, StopFields, never_empty=_NEVER_EMPTY)
    merged = _merge_row(row, columns)
    errors: list[FieldError] = []
    start, end = merged.get("time_window_start"), merged.get("time_window_end")
    if start is not None and end is not None and start > end:
        errors.append(FieldError("time_window_end", "must not be before `time_window_start`."))
    if merged.get("pod_required") and merged.get("pod_method") is None:
        errors.append(FieldError("pod_method", "This field is required when a proof is required."))
    if errors:
        raise Invalid(fields=errors)
    return columns


def entity_columns(data: EntityFields, row: Entity | None) -> dict[str, Any]:
    """Return the columns of an item in a request, without its references."""
    columns = _normalise(data, EntityFields, never_empty=_NEVER_EMPTY)
    merged = _merge_row(row, columns)
    errors: list[FieldError] = []
    if "name" not in merged:
        errors.append(FieldError("name", REQUIRED))
    if any(merged.get(name) is not None for name in _AMOUNTS) and merged.get("currency") is None:
        errors.append(FieldError("currency", "This field is required with an amount."))
    if errors:
        raise Invalid(fields=errors)
    return columns


def _normalise(
    data: msgspec.Struct, kind: type[msgspec.Struct], *, never_empty: frozenset[str] = frozenset()
) -> dict[str, Any]:
    columns = _columns(kind)
    values = {name: value for name, value in get_sent_fields(data).items() if name in columns}
    return fields.normalise(values, RULES, never_empty=never_empty)


@lru_cache
def _columns(kind: type[msgspec.Struct]) -> frozenset[str]:
    return frozenset(kind.__struct_fields__) - _NAMES


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

    def __exit__(self, _: object, raised: BaseException | None, __: object) -> bool:
        """Collect the part's Invalid error, and let any other exception pass."""
        if not isinstance(raised, Invalid):
            return False
        self._fields += [
            FieldError(join_path(self._part, error.path), error.message) for error in raised.fields
        ]
        return True

    def raise_faults(self) -> None:
        """Raise Invalid if any part had an error."""
        if self._fields:
            raise Invalid(fields=self._fields[:MAX_ERRORS])
