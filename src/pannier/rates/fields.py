"""Normalise the fields of rates."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import rules
from pannier.db import Db
from pannier.kit.structs import convert_struct
from pannier.partners.models import Vendor
from pannier.rates import queries
from pannier.rates.models import SurchargeRule, ZoneFee
from pannier.rates.schemas import SurchargeRuleIn, ZoneFeeIn
from pannier.web import fields

MAX_EXPONENT: Final = 30
_METHOD_ALIASES: Final = {"fixed_meter": "fixed_rate", "algo": "algorithm"}
RULES: Final[fields.NormalisationRules] = {
    "currency": rules.parse_currency,
    "time_zone": rules.parse_time_zone,
    "rate_calculation_method": lambda method: _METHOD_ALIASES.get(method, method),
    "price_groups": lambda groups: list(dict.fromkeys(map(str.strip, groups))),
    "meta": fields.check_meta,
}
# Columns with another name than their field.
COLUMNS: Final[Mapping[str, str]] = {"time_zone": "timezone"}
NEVER_EMPTY: Final = frozenset({"service_name", "service_type"})


async def normalise_rate(db: Db, company: UUID, data: Mapping[str, Any]) -> dict[str, Any]:
    """Normalise a request's fields, and resolve their references. Raise Invalid for bad ones."""
    normalised_fields = fields.normalise(data, RULES, never_empty=NEVER_EMPTY)
    columns = {
        COLUMNS.get(name, name): _normalise_numbers(value)
        for name, value in normalised_fields.items()
    }
    if columns.get("service_area") is not None:
        columns["service_area"] = await queries.resolve_area(db, company, columns["service_area"])
    if columns.get("zone") is not None:
        columns["zone"] = await queries.resolve_zone(db, company, columns["zone"])
    if columns.get("order_config") is not None:
        columns["order_config"] = await queries.resolve_order_config(
            db, company, columns["order_config"]
        )
    if columns.get("customers"):
        columns["customers"] = await queries.resolve_customers(db, company, columns["customers"])
    if columns.get("peak_windows"):
        # Windows imply the fee, unless the request says otherwise.
        columns.setdefault("has_peak_hours_fee", True)
    if "zone_fees" in columns:
        columns["zone_fees"] = await _resolve_zone_fees(db, company, columns["zone_fees"])
    if "surcharges" in columns:
        columns["surcharges"] = await _resolve_surcharges(db, company, columns["surcharges"])
    return columns | await _resolve_facilitator(db, company, columns)


async def _resolve_facilitator(db: Db, company: UUID, columns: Mapping[str, Any]) -> dict[str, Any]:
    if "facilitator" not in columns:
        return {}
    if columns["facilitator"] is None:
        return {"facilitator": None, "facilitator_type": None}
    facilitator = await queries.resolve_facilitator(db, company, columns["facilitator"])
    kind = "vendor" if isinstance(facilitator, Vendor) else "contact"
    return {"facilitator": facilitator.uuid, "facilitator_type": kind}


async def _resolve_zone_fees(db: Db, company: UUID, sent_fees: list[ZoneFeeIn]) -> list[ZoneFee]:
    zones, areas = await _resolve_borders(db, company, "zone_fees", sent_fees)
    return [
        ZoneFee(
            label=fee.label,
            zone=zones.get(fee.zone or ""),
            service_area=areas.get(fee.service_area or ""),
            priority=fee.priority,
            fee=fee.fee,
        )
        for fee in sent_fees
    ]


async def _resolve_surcharges(
    db: Db, company: UUID, sent_surcharges: list[SurchargeRuleIn]
) -> list[SurchargeRule]:
    zones, areas = await _resolve_borders(db, company, "surcharges", sent_surcharges)
    return [
        convert_struct(
            surcharge,
            SurchargeRule,
            zone=zones.get(surcharge.zone or ""),
            service_area=areas.get(surcharge.service_area or ""),
        )
        for surcharge in sent_surcharges
    ]


async def _resolve_borders(
    db: Db, company: UUID, column: str, rows: Sequence[ZoneFeeIn | SurchargeRuleIn]
) -> tuple[dict[str, UUID], dict[str, UUID]]:
    """Resolve the zones and areas of a list, each one once."""
    zones: dict[str, UUID] = {}
    areas: dict[str, UUID] = {}
    for number, row in enumerate(rows):
        path = f"{column}[{number}]"
        if row.zone is not None and row.zone not in zones:
            zones[row.zone] = await queries.resolve_zone(db, company, row.zone, f"{path}.zone")
        if row.service_area is not None and row.service_area not in areas:
            areas[row.service_area] = await queries.resolve_area(
                db, company, row.service_area, f"{path}.service_area"
            )
    return zones, areas


def _normalise_numbers(value: Any) -> Any:  # noqa: ANN401 - any field
    """Convert equal numbers, with or without trailing zeros, to the same form."""
    if isinstance(value, Decimal):
        # Infinite or huge numbers stay as they are; validation rejects them.
        is_ordinary = value.is_finite() and abs(value.adjusted()) < MAX_EXPONENT
        return Decimal(f"{value.normalize():f}") if is_ordinary else value
    if isinstance(value, list):
        return [_normalise_numbers(item) for item in value]
    if isinstance(value, msgspec.Struct):
        members = {
            name: _normalise_numbers(getattr(value, name)) for name in value.__struct_fields__
        }
        return type(value)(**members)
    return value
