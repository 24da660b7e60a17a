"""The form that requests a plan, and requests that repeat an earlier plan."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from pannier.console import lookup
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form
from pannier.console.planner import list_drivers
from pannier.console.session import FormData
from pannier.errors import FieldError

AIMS: Final = (
    ("time", "Shortest working time"),
    ("cost", "Lowest cost"),
    ("vehicles", "Fewest vehicles"),
    ("balance", "Even workload"),
)
AIM_LABELS: Final = dict(AIMS)
ORDERS: Final = (("all", "All open orders"), ("unassigned", "Orders without a driver"))
STARTS: Final = (("now", "Live positions, from now on"), ("start", "Shift starts"))
MINUTE_FIELDS: Final = ("service_time", "setup_time")
SECONDS_PER_MINUTE: Final = 60
# Paths of orders in a request.
_ORDER_PATH: Final = re.compile(r"(?P<list>orders|fixed)\[(?P<index>\d+)\](\.order)?")
DAY: Final = Field(name="day", label="Day", kind="day", required=True, nullable=False)
MAIN_FIELDS: Final = (
    DAY,
    Field(name="orders", label="Orders", kind="choice", options=ORDERS, required=True,
          default="all"),
    Field(name="aim", label="Aim", kind="choice", options=AIMS, required=True, default="time",
          help="As many orders as possible are assigned first."),
    Field(name="from", label="Route starts", kind="choice", options=STARTS, placeholder="Automatic",
          help="Automatic: live positions once work has started, otherwise shift starts."),
)  # fmt: skip
MORE_FIELDS: Final = (
    Field(name="keep_assigned", label="Keep assigned orders with their drivers", kind="switch"),
    Field(name="service_time", label="Time per stop (minutes)", kind="number",
          help="For stops without a service time. Defaults to 3."),
    Field(name="setup_time", label="Parking and walking (minutes)", kind="number",
          help="Added once for consecutive stops at one place. Defaults to 0."),
    Field(name="default_hours.start", label="Default shift start", kind="time",
          placeholder="08:00", help="For drivers without shifts. Defaults to 08:00."),
    Field(name="default_hours.end", label="Default shift end", kind="time",
          placeholder="18:00", help="Defaults to 18:00."),
    Field(name="start_place", label="Default route start", kind="record", resource="places",
          help="For drivers without a route start."),
    Field(name="end_place", label="Default route end", kind="record", resource="places"),
    Field(name="type", label="Order flow key", placeholder="transport"),
    Field(name="pickup", label="Pickup", kind="record", resource="places",
          help="Plans only orders with this pickup."),
    Field(name="max_seconds", label="Search time (seconds)", kind="number",
          help="1 to 120. Defaults to a time based on the number of orders."),
)  # fmt: skip
# Fields that filter the orders of the plan.
FILTER_FIELDS: Final[tuple[str, ...]] = ("type", "pickup")


async def load_form(client: ApiClient) -> Form:
    """Load the form, with fleets and drivers as options."""
    fleets = (await client.list_rows("/v1/fleets", {"limit": "100"})).rows
    drivers = await list_drivers(client)
    return Form(
        (
            *MAIN_FIELDS,
            Field(name="fleets", label="Fleets", kind="choices",
                  options=[(fleet["id"], fleet["name"]) for fleet in fleets]),
            Field(name="drivers", label="Drivers", kind="choices",
                  options=[(driver["id"], driver["label"]) for driver in drivers]),
            *MORE_FIELDS,
        )
    )  # fmt: skip


async def make_body(
    client: ApiClient, form: Form, form_data: FormData, zone: ZoneInfo
) -> dict[str, Any]:
    """Build the body of the API call from the form."""
    resolved_data = await lookup.resolve_form(client, form.fields, form_data)
    body = form.make_body(resolved_data, zone)
    order_filter: dict[str, Any] = {name: body.pop(name) for name in FILTER_FIELDS if name in body}
    if body.pop("orders", "") == "unassigned":
        order_filter["unassigned"] = True
    for name in MINUTE_FIELDS:
        if isinstance(minutes := body.get(name), (int, float)):
            body[name] = round(minutes * SECONDS_PER_MINUTE)
    choices = {name: body.pop(name) for name in ("fleets", "drivers") if body.get(name)}
    body = {name: value for name, value in body.items() if value != []}
    return {**body, **choices, **({"filter": order_filter} if order_filter else {})}


def make_repeated_request(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Build a request that plans the same day again and keeps the locked orders."""
    stored_request: Mapping[str, Any] = plan["request"]
    request = {name: value for name, value in stored_request.items() if value is not None}
    return {**request, "day": plan["day"], "based_on": plan["id"]}


def remove_ended_orders(
    request: Mapping[str, Any], errors: Iterable[FieldError]
) -> dict[str, Any] | None:
    """Remove the orders that the API refused. Return None if other fields are wrong, too."""
    matches = [_ORDER_PATH.fullmatch(error.path) for error in errors]
    refused_positions = {
        (match["list"], int(match["index"])) for match in matches if match is not None
    }
    if not refused_positions or None in matches:
        return None
    names = {name for name, _ in refused_positions}
    return {
        **request,
        **{
            name: [
                row
                for index, row in enumerate(request[name])
                if (name, index) not in refused_positions
            ]
            for name in names
        },
    }
