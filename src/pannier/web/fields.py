"""Fields that a caller sends, brought into the one form in which they are kept."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, UnsetType

from pannier.errors import Field, Invalid
from pannier.kit.meta import MetaPatch, check_size
from pannier.web import times

T = TypeVar("T")
# A field of a change, `UNSET` when it is left out, which leaves things as they are; null empties
# one that is clearable.
Given: TypeAlias = T | UnsetType
Clearable: TypeAlias = T | UnsetType | None

# What a company keeps of its own with a row: see `bounded`.
Own = Annotated[
    dict[str, Any],
    Meta(description="Whatever the company wants to keep, up to 16 KiB.", examples=[{"floor": 3}]),
]

Rules = Mapping[str, Callable[[Any], Any]]


def given_fields(change: msgspec.Struct) -> dict[str, Any]:
    """Answer the fields of a change that the caller sent; what is left out stays as it is."""
    values = msgspec.structs.asdict(change)
    return {name: value for name, value in values.items() if value is not msgspec.UNSET}


def leave_out_fixed(given: dict[str, Any], present: object, *names: str) -> dict[str, Any]:
    """Refuse to change fixed fields; those sent as they were read are left out."""
    wrong = [
        Field(name, "This field cannot be changed. Leave it out.")
        for name in names
        if name in given and _as_read(given[name]) != _as_read(getattr(present, name))
    ]
    if wrong:
        raise Invalid(fields=wrong)
    return {name: value for name, value in given.items() if name not in names}


def _as_read(value: Any) -> Any:  # noqa: ANN401 - any field
    """Cut a moment to the milliseconds that callers see."""
    return times.within(value) if isinstance(value, datetime) else value


def mark_patch(change: object) -> None:
    """Let a PATCH change `meta` key by key, on the record and on the payload it may carry."""
    for part in (change, getattr(change, "payload", None)):
        meta = getattr(part, "meta", None)
        if isinstance(part, msgspec.Struct) and isinstance(meta, dict):
            part.meta = MetaPatch(meta)  # type: ignore[attr-defined]  # it has one


def bounded(meta: dict[str, Any]) -> dict[str, Any]:
    """Take an object of the caller's own, within a limit."""
    return check_size(meta)


def normalised(
    given: Mapping[str, Any], rules: Rules, *, never_empty: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Bring the given fields into their form, or refuse, naming each that has none."""
    kept: dict[str, Any] = {}
    wrong: list[Field] = []
    for name, value in given.items():
        try:
            kept[name] = _normalised(value, rules.get(name), empty=name not in never_empty)
        except ValueError as refusal:
            wrong.append(Field(name, str(refusal)))
    if wrong:
        raise Invalid(fields=wrong)
    return kept


def _normalised(value: Any, rule: Callable[[Any], Any] | None, *, empty: bool) -> Any:  # noqa: ANN401 - any field
    """Bring one field into its form; an empty text says as much as null."""
    plain = (value.strip() or None) if isinstance(value, str) else value
    if plain is None and not empty:
        raise ValueError("must not be empty.")
    return plain if plain is None or rule is None else rule(plain)
