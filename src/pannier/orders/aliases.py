"""Merging of order fields that can be sent under two names, in two forms or in two places."""

from typing import Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from pannier.errors import FieldError, Invalid
from pannier.orders.schemas import OrderChange, OrderCustomerIn, OrderIn
from pannier.payloads.schemas import PayloadChange
from pannier.web import former_names

Identifier = str | UnsetType | None
OrderRequest = TypeVar("OrderRequest", OrderIn, OrderChange)

COD_FIELDS: Final = ("cod_amount", "cod_currency", "cod_payment_method")
PARTNER_FIELDS: Final = ("customer", "facilitator")
REQUIRED: Final = "This field is required."
IDENTIFIERS: Final = ("id", "public_id", "uuid")


def merge_aliases(data: OrderRequest) -> OrderRequest:
    """Replace former names, and the partners in an order's output by their identifiers.

    The body of a template may have former names too.
    """
    data = former_names.replace_former_names(msgspec.structs.replace(data))
    partner_ids = {name: _to_partner_id(name, getattr(data, name)) for name in PARTNER_FIELDS}
    return msgspec.structs.replace(data, **partner_ids)


def get_assignment(data: OrderIn | OrderChange) -> tuple[Identifier, Identifier]:
    """Return the identifiers of driver and vehicle, which may be objects from an order."""
    return _get_assigned("driver", data.driver), _get_assigned("vehicle", data.vehicle)


def _get_assigned(name: str, value: str | dict[str, Any] | UnsetType | None) -> Identifier:
    return value if isinstance(value, UnsetType) else _get_identifier(name, value)


def _to_partner_id(path: str, value: Any) -> Any:  # noqa: ANN401 - an identifier, an object or nothing
    """Return the identifier if the value refers to an existing partner, else the value itself."""
    if isinstance(value, dict):
        return _get_identifier(path, value)
    if not isinstance(value, OrderCustomerIn):
        return value
    identifiers = (getattr(value, name) for name in IDENTIFIERS)
    partner_id = next(
        (identifier for identifier in identifiers if isinstance(identifier, str)), None
    )
    is_found_by_email = isinstance(value.email, str) and not value.phone
    if partner_id is None and value.name is UNSET and not is_found_by_email:
        raise Invalid(fields=[FieldError(f"{path}.name", REQUIRED)])
    return partner_id or value


def _get_identifier(path: str, value: str | dict[str, Any] | None) -> str | None:
    """Return an identifier that was sent as text, or inside an object from an order's output."""
    if not isinstance(value, dict):
        return value
    for name in IDENTIFIERS:
        if isinstance(value.get(name), str):
            return str(value[name])
    raise Invalid(fields=[FieldError(f"{path}.id", REQUIRED)])


def get_cash_fields(data: OrderIn | OrderChange) -> dict[str, Any]:
    """Return the cash-on-delivery fields that were sent on the order itself."""
    return {name: value for name in COD_FIELDS if (value := getattr(data, name)) is not UNSET}


def merge_cash(payload: Any, cash: dict[str, Any]) -> Any:  # noqa: ANN401 - a new payload or a change
    """Merge the order's cash-on-delivery fields into its payload; reject contradictions."""
    if not isinstance(payload, PayloadChange):
        return payload
    payload_values = {name: getattr(payload, name) for name in cash}
    errors = [
        FieldError(name, f"This contradicts `payload.{name}`. Send one of them.")
        for name, value in payload_values.items()
        if not isinstance(value, UnsetType) and value != cash[name]
    ]
    if errors:
        raise Invalid(fields=errors)
    return msgspec.structs.replace(payload, **cash)
