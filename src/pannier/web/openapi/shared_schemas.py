"""Schemas that many fields have, as components with a name.

Generators of clients make a class of each enumeration and each free map. Without names they would
make one for every field, and a hundred classes for the two types of a partner.
"""

from collections.abc import Mapping
from typing import Any, Final

Schema = dict[str, Any]

PREFIX: Final = "#/components/schemas/"
EXAMPLE_KEYS: Final = frozenset({"default", "example", "examples"})
JSON_OBJECT: Final = "JsonObject"
# The names of enumerations, by their values. A test fails if no field has one of them any more:
# then write the new values here, so that the name stays.
ENUMERATIONS: Final[Mapping[str, str]] = {
    "AddressQuality": "house locality region street",
    "AppPlatform": "android ios web",
    "BalanceKind": "credit owed",
    "CancellationRefund": "automatic manual",
    "ChargeKind": """adjustment cancellation discount goodwill other quote redelivery return
        surcharge waiting""",
    "CheckoutStatus": "declined expired open paid preparing processing",
    "CodMethod": "bank_transfer card cash check",
    "CodeChannel": "email sms",
    "ConnectionStatus": "never_seen offline online stale",
    "CustomerPaymentStatus": "none overpaid paid unpaid",
    "DateOrder": "day_first month_first",
    "DeliveryState": "canceled cancelled failed held pending sending succeeded superseded",
    "DeviceKind": "camera gateway obd phone sensor tracker virtual",
    "DispatchRequirement": "nothing payment price",
    "DistanceRounding": "exact started_unit",
    "DistanceSource": "given great_circle osrm valhalla",
    "DistanceUnit": "ft km m mi yd",
    "DriverStatus": """accident_hold active available delayed inactive no_show off_duty on_break
        on_duty on_leave on_route onboarding pending_verification pre_shift suspended terminated
        training""",
    "ForecastState": "at_risk late on_time",
    "ImportResource": "contacts drivers orders places service-rates vehicles",
    "InvoiceKind": "credit_note invoice",
    "InvoiceStatus": "credited draft issued overdue paid",
    "IssuePriority": "critical high low medium operational_suggestion scheduled_maintenance",
    "IssueStatus": """awaiting_parts awaiting_vendor backlogged canceled closed completed duplicate
        escalated in_progress in_review monitoring open pending pending_review re_opened
        requires_update resolved triage wont_fix""",
    "KeyKind": "api app storefront",
    "LengthUnit": "cm ft in m mm yd",
    "MessageChannel": "email push sms",
    "OperatorRole": "admin billing dispatcher viewer",
    "OrderPaymentStatus": "none overpaid paid partially_paid refunded unpaid",
    "PartnerType": "contact vendor",
    "PlaceOwnerType": "company customer order",
    "PlanAim": "balance cost time vehicles",
    "PlanState": "accepted canceled done failed queued running",
    "PriceStatus": "accepted priced unpriced",
    "ProofMethod": "photo scan signature sms",
    "ProofSubjectType": "entity order waypoint",
    "QuoteState": "accepted open replaced",
    "RateCalculation": "flat percentage",
    "RecordStatus": "active inactive",
    "RecordedProofMethod": "override photo scan signature sms",
    "ReportPeriod": "day month week",
    "ScanEntry": "scanned typed",
    "ScanMismatch": "explain refuse",
    "Severity": "critical high info low medium warning",
    "SignatureFormat": "bare prefixed",
    "StopType": "dropoff pickup",
    "TransactionStatus": "paid partially_paid partially_refunded refunded unpaid voided",
    "Undelivered": "hold return",
    "UndeliveredDecision": "hold retry return",
    "VehicleProfile": "bicycle car van",
    "VehicleStatus": """accident active available awaiting_parts cleaning compliance_hold
        decommissioned idle in_use inspection_due inspection_failed maintenance on_route operational
        out_of_service reserved retired staging stolen""",
    "WebhookOrdering": "first_attempt strict",
    "WebhookState": "disabled enabled paused",
    "Weekday": "fri mon sat sun thu tue wed",
    "WeightUnit": "g kg lb oz",
    "ZoneApplication": "both destination origin",
}
_names_by_values: Final = {
    tuple(sorted(values.split())): name for name, values in ENUMERATIONS.items()
}


def make_components() -> dict[str, Schema]:
    """Make the components of all shared schemas."""
    components: dict[str, Schema] = {
        name: {"title": name, "type": "string", "enum": sorted(values.split())}
        for name, values in ENUMERATIONS.items()
    }
    components[JSON_OBJECT] = {
        "title": JSON_OBJECT,
        "description": "An object with any fields.",
        "type": "object",
        "additionalProperties": True,
    }
    return components


def refer_to_shared_schemas(node: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Replace enumerations and free maps by references to their components."""
    if isinstance(node, list):
        return [refer_to_shared_schemas(part) for part in node]
    if not isinstance(node, dict):
        return node
    schema = {
        key: part if key in EXAMPLE_KEYS else refer_to_shared_schemas(part)
        for key, part in node.items()
    }
    name = _find_name(schema)
    if name is None:
        return schema
    rest = {
        key: part
        for key, part in schema.items()
        if key not in {"type", "enum", "additionalProperties"}
    }
    return {**rest, "$ref": f"{PREFIX}{name}"}


def _find_name(schema: Schema) -> str | None:
    values = schema.get("enum")
    if isinstance(values, list):
        return _names_by_values.get(tuple(sorted(map(str, values))))
    is_map = schema.get("type") == "object" and schema.get("additionalProperties") is True
    return JSON_OBJECT if is_map and "properties" not in schema else None
