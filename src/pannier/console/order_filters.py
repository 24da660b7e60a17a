"""The filters of the lists of orders: their fields, and their conversion to the API's format."""

import re
from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from pannier.console import fields
from pannier.console.formatting import parse_time
from pannier.console.forms import LOCAL_FORMAT, Field
from pannier.console.session import FormData
from pannier.console.statuses import to_label

YES_NO: Final = (("true", "Yes"), ("false", "No"))
# Choices that are ranges of the balance in the API.
BALANCES: Final[Mapping[str, Mapping[str, str]]] = {
    "owed": {"balance_min": "1"},
    "credit": {"balance_max": "-1"},
}
PAYMENTS: Final = (
    ("owed", "Amount due"), ("unpaid", "Unpaid"), ("partially_paid", "Partially paid"),
    ("paid", "Paid"), ("credit", "Credit"), ("refunded", "Refunded"), ("none", "No charges"),
)  # fmt: skip
STATUSES: Final = ("created", "dispatched", "started", "enroute", "completed", "canceled")
MAIN_FILTERS: Final = (
    Field(name="query", label="Number, note or customer"),
    Field(name="driver", label="Driver", kind="record", resource="drivers",
          placeholder="Any driver"),
    Field(
        name="status", label="Status", kind="choice",
        options=[(status, to_label(status)) for status in STATUSES],
    ),
    Field(name="on", label="Day", kind="day"),
)  # fmt: skip
MORE_FILTERS: Final = (
    Field(name="unassigned", label="Unassigned", kind="choice", options=YES_NO),
    Field(name="attention", label="Needs attention", kind="choice", options=YES_NO),
    Field(name="late", label="Late", kind="choice", options=YES_NO),
    Field(name="held", label="On hold", kind="choice", options=YES_NO),
    Field(name="failed_on", label="Attempt failed on", kind="day"),
    Field(name="completed_on", label="Completed on", kind="day"),
    Field(name="on_time", label="Delivered on time", kind="choice", options=YES_NO),
    Field(name="forecast", label="Forecast", kind="choice",
          options=(("late", "Will be late"), ("at_risk", "At risk"))),
    Field(name="price_status", label="Price", kind="choice",
          options=(("unpriced", "No price"), ("priced", "Quoted"), ("accepted", "Accepted"))),
    Field(name="payment_status", label="Payment", kind="choice", options=PAYMENTS),
    Field(name="type", label="Order flow key", placeholder="transport"),
    Field(name="order_config", label="Order flow", kind="record", resource="order-configs"),
    fields.VEHICLE,
    Field(name="customer", label="Customer", kind="record", resource="contacts vendors"),
    Field(name="facilitator", label="Vendor", kind="record", resource="vendors contacts"),
    Field(name="pickup", label="Pickup", kind="record", resource="places"),
    Field(name="dropoff", label="Drop-off", kind="record", resource="places"),
    Field(name="since", label="Created from", kind="moment"),
    Field(name="until", label="Created before", kind="moment"),
    Field(name="scheduled_since", label="Scheduled from", kind="moment"),
    Field(name="scheduled_until", label="Scheduled before", kind="moment"),
    Field(name="id", label="Orders", placeholder="Numbers or IDs, separated by spaces"),
)  # fmt: skip
FILTERS: Final = (*MAIN_FILTERS, *MORE_FILTERS)
# Filters of the API without a field in the form.
EXTRA_PARAMETERS: Final = (
    "internal_id",
    "tracking",
    "payload",
    "pod_required",
    "adhoc",
    "dispatched",
    "started",
    "active",
    "today",
    "scheduled",
    "balance",
    "balance_min",
    "balance_max",
)


def parse_filters(query: FormData, zone: ZoneInfo) -> dict[str, Any]:
    """Convert the query to the API's filters."""
    filters: dict[str, Any] = {name: query[name] for name in EXTRA_PARAMETERS if query.get(name)}
    for field in FILTERS:
        if query.get(field.name):
            filters[field.name] = field.to_query(query[field.name], zone)
    if query.get_all("status"):
        filters["status"] = query.get_all("status")
    if filters.get("payment_status") in BALANCES:
        filters |= BALANCES[filters.pop("payment_status")]
    if "id" in filters:
        filters["id"] = [
            name for text in query.get_all("id") for name in re.split(r"[\s,;]+", text)
        ]
    return filters


def fill_filters(query: FormData, zone: ZoneInfo) -> dict[str, str]:
    """Return the values of the filter form, with times in the company's zone."""
    values = dict(query)
    for field in FILTERS:
        if field.kind == "moment" and values.get(field.name):
            values[field.name] = _format_local(values[field.name], zone)
    return values


def _format_local(text: str, zone: ZoneInfo) -> str:
    try:
        moment = parse_time(text)
        return (moment.astimezone(zone) if moment.tzinfo else moment).strftime(LOCAL_FORMAT)
    except (ValueError, OverflowError):
        return ""
