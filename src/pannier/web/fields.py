"""Fields that a caller sends, and their conversion to the stored form."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, UnsetType

from pannier.errors import FieldError, Invalid
from pannier.kit.meta import MetaPatch, check_size
from pannier.web import times

T = TypeVar("T")
# A field of a change: `UNSET` if the caller left it out, so it stays as it is. Null clears a
# clearable field.
Given: TypeAlias = T | UnsetType
Clearable: TypeAlias = T | UnsetType | None

# Custom data of a company on a record; see `check_meta`.
CompanyMeta = Annotated[
    dict[str, Any],
    Meta(description="The company's own data, up to 16 KiB.", examples=[{"floor": 3}]),
]

NormalisationRules = Mapping[str, Callable[[Any], Any]]


def get_sent_fields(change: msgspec.Struct) -> dict[str, Any]:
    """Return the fields of a change that the caller sent."""
    values = msgspec.structs.asdict(change)
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}


def drop_fixed_fields(values: dict[str, Any], row: object, *names: str) -> dict[str, Any]:
    """Reject changes of fixed fields; drop those that the caller sent back unchanged."""
    errors = [
        FieldError(name, "This field cannot be changed. Leave it out.")
        for name in names
        if name in values
        and _to_api_precision(values[name]) != _to_api_precision(getattr(row, name))
    ]
    if errors:
        raise Invalid(fields=errors)
    return {name: value for name, value in values.items() if name not in names}


def _to_api_precision(value: Any) -> Any:  # noqa: ANN401 - any field
    """Truncate a time to milliseconds, as callers see it."""
    return times.normalise(value) if isinstance(value, datetime) else value


def mark_patch(change: object) -> None:
    """Mark the `meta` of a PATCH as a patch that is merged key by key, also on the payload."""
    for part in (change, getattr(change, "payload", None)):
        meta = getattr(part, "meta", None)
        if isinstance(part, msgspec.Struct) and isinstance(meta, dict):
            part.meta = MetaPatch(meta)  # type: ignore[attr-defined]  # checked above


def check_meta(meta: dict[str, Any]) -> dict[str, Any]:
    """Return the caller's custom data, or raise ValueError if it is too large."""
    return check_size(meta)


def normalise(
    values: Mapping[str, Any],
    rules: NormalisationRules,
    *,
    never_empty: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """Normalise fields, or raise Invalid with an error for each invalid field."""
    normalised_values: dict[str, Any] = {}
    errors: list[FieldError] = []
    for name, value in values.items():
        try:
            normalised_values[name] = _normalise_field(
                value, rules.get(name), allow_empty=name not in never_empty
            )
        except ValueError as error:
            errors.append(FieldError(name, str(error)))
    if errors:
        raise Invalid(fields=errors)
    return normalised_values


def _normalise_field(value: Any, rule: Callable[[Any], Any] | None, *, allow_empty: bool) -> Any:  # noqa: ANN401 - any field
    """Normalise one field. An empty text counts as null."""
    stripped_value = (value.strip() or None) if isinstance(value, str) else value
    if stripped_value is None and not allow_empty:
        raise ValueError("must not be empty.")
    return stripped_value if stripped_value is None or rule is None else rule(stripped_value)
