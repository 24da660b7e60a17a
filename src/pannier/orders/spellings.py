"""Fields of an order that have two places or two names, brought to one."""

from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from pannier.errors import Field, Invalid
from pannier.orders.schemas import OrderChange, OrderIn
from pannier.payloads.schemas import PayloadChange

Given = TypeVar("Given", OrderIn, OrderChange)

COD: Final = ("cod_amount", "cod_currency", "cod_payment_method")
ALIASES: Final = {"driver_assigned": "driver", "vehicle_assigned": "vehicle"}
_IDENTIFIERS: Final = ("id", "public_id", "uuid")


def merge_aliases(given: Given) -> Given:
    """Take `driver_assigned` for `driver` and `vehicle_assigned` for `vehicle`."""
    for alias, name in ALIASES.items():
        value = getattr(given, alias)
        if value is UNSET:
            continue
        named = _identifier(alias, value)
        if getattr(given, name) not in {UNSET, None, named}:
            raise Invalid(fields=[Field(alias, f"This contradicts `{name}`; send one of them.")])
        given = msgspec.structs.replace(given, **{alias: UNSET, name: named})
    return given


def _identifier(path: str, value: str | dict[str, Any] | None) -> str | None:
    """Read who is meant: an identifier, or the object that an order shows."""
    if not isinstance(value, dict):
        return value
    for name in _IDENTIFIERS:
        if isinstance(value.get(name), str):
            return str(value[name])
    raise Invalid(fields=[Field(f"{path}.id", "This field is required.")])


def cash_fields(given: OrderIn | OrderChange) -> dict[str, Any]:
    """Return what is to be collected, where the order itself says so."""
    return {name: value for name in COD if (value := getattr(given, name)) is not UNSET}


def with_cash(payload: Any, cash: dict[str, Any]) -> Any:  # noqa: ANN401 - a new payload or a change
    """Put what the order says of cash into its payload, which must not say otherwise."""
    if not isinstance(payload, PayloadChange):
        return payload
    present = {name: getattr(payload, name) for name in cash}
    twice = [
        Field(name, f"This contradicts `payload.{name}`; send one of them.")
        for name, value in present.items()
        if not isinstance(value, UnsetType) and value != cash[name]
    ]
    if twice:
        raise Invalid(fields=twice)
    return msgspec.structs.replace(payload, **cash)
