"""The planner: the orders of a day, with a row for each driver and a column for each hour.

Scheduled orders are at the time of their dispatch, and can be moved. Running orders are at the time
when they are due, and completed ones at the time of their completion.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from pannier.console.api_client import ApiClient
from pannier.console.formatting import parse_time
from pannier.console.forms import Field
from pannier.console.records import PAGE_SIZE, load_zone
from pannier.console.session import FormData

ORDER_PATH: Final = "/v1/orders/{order_id}"
ASSIGN_PATH: Final = f"{ORDER_PATH}/assign-driver"
# Drivers with these statuses cannot be assigned.
UNAVAILABLE_STATUSES: Final = frozenset({"inactive", "suspended", "terminated"})
MAX_UNPLANNED: Final = 20
# Filters that the planner sets itself.
OWN_FILTERS: Final = ("on", "scheduled", "scheduled_since", "scheduled_until", "status")


class DayWork(NamedTuple):
    """Completed and running orders with their times, and whether there are more."""

    blocks: Sequence[tuple[datetime, Any]]
    has_more: bool


async def list_drivers(client: ApiClient) -> list[Any]:
    """List up to 100 drivers who can be assigned: online ones first, then by name."""
    page = await client.list_rows("/v1/drivers", {"limit": "100"})
    available_drivers = [row for row in page.rows if row["status"] not in UNAVAILABLE_STATUSES]
    names = Counter(row["name"] for row in available_drivers)
    labeled_drivers = [
        {
            **row,
            "label": row["name"] if names[row["name"]] == 1 else f"{row['name']} · {row['phone']}",
        }
        for row in available_drivers
    ]
    return sorted(labeled_drivers, key=lambda row: (not row["online"], row["name"].casefold()))


async def load_day(
    client: ApiClient, filters: dict[str, Any], form_data: FormData, zone: ZoneInfo
) -> dict[str, Any]:
    """Load the template variables of a day, and of the orders without a scheduled time."""
    now = client.exchange.db.now.astimezone(zone)
    day = _parse_day(form_data.get("on", ""), now.date())
    start, end = (
        datetime.combine(day + timedelta(days=days), time(), zone).isoformat() for days in (0, 1)
    )
    other_filters = {name: value for name, value in filters.items() if name not in OWN_FILTERS}
    day_query = {**other_filters, "scheduled_since": start, "scheduled_until": end}
    page = await client.list_rows(
        "/v1/orders", {**day_query, "limit": str(PAGE_SIZE), "cursor": form_data.get("cursor")}
    )
    unplanned_query = {
        **other_filters,
        "status": "created",
        "scheduled": "false",
        "limit": str(MAX_UNPLANNED),
    }
    unplanned_page = await client.list_rows("/v1/orders", unplanned_query)
    work = await _load_work(client, other_filters, day, now)
    drivers = (await list_drivers(client))[:PAGE_SIZE]
    driver_ids = {person["id"] for person in drivers}
    blocks = [(parse_time(order["scheduled_at"]).astimezone(zone), order) for order in page.rows]
    scheduled_ids = {order["id"] for order in page.rows}
    blocks += [block for block in work.blocks if block[1]["id"] not in scheduled_ids]
    present_hours = [now.hour] if day == now.date() else []
    hours = _list_hours([*present_hours, *(moment.hour for moment, _ in blocks)])
    return {
        "on": day,
        "today": now.date(),
        "hours": [(hour, f"{day}T{hour:02}:00") for hour in hours],
        "present": now.hour if day == now.date() else None,
        "slots": _group_by_slot(blocks),
        "others": sorted(
            {
                (driver["id"], driver["name"])
                for driver in (order["driver_assigned"] for _, order in blocks)
                if driver and driver["id"] not in driver_ids
            }
        ),
        "rows": drivers,
        "waiting": unplanned_page.rows,
        "waiting_more": unplanned_page.cursor is not None,
        "onward": page.cursor,
        "has_more_work": work.has_more,
        "days": [day - timedelta(days=1), day + timedelta(days=1)],
    }


async def _load_work(
    client: ApiClient, filters: Mapping[str, Any], day: date, now: datetime
) -> DayWork:
    """Load the orders completed on a day and, on the present day, the dispatched ones."""
    queries: list[dict[str, Any]] = [{"completed_on": day.isoformat()}]
    if day == now.date():
        queries.append({"active": "true"})
    pages = [
        await client.list_rows("/v1/orders", {**filters, **query, "limit": str(PAGE_SIZE)})
        for query in queries
    ]
    blocks = [(_find_work_time(order, now), order) for page in pages for order in page.rows]
    return DayWork(blocks, any(page.cursor is not None for page in pages))


def _find_work_time(order: Mapping[str, Any], now: datetime) -> datetime:
    """Return when an order was completed, or else is due: today, but not in the past."""
    if order["completed_at"]:
        return parse_time(order["completed_at"]).astimezone(now.tzinfo)
    if not order["time_window_end"]:
        return now
    due = parse_time(order["time_window_end"]).astimezone(now.tzinfo)
    return max(due, now) if due.date() == now.date() else now


def _parse_day(text: str, default: date) -> date:
    """Parse a day. Replace invalid days, and days in the calendar's first or last year."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return default
    return day if date.min.year < day.year < date.max.year else default


def _list_hours(busy_hours: Sequence[int]) -> range:
    """Return the hours from 8 to 18, extended to all orders and the present hour."""
    return range(min([8, *busy_hours]), max([18, *busy_hours]) + 1)


def _group_by_slot(blocks: Sequence[tuple[datetime, Any]]) -> dict[tuple[str, int], list[Any]]:
    """Group orders by driver and hour, and sort them by time."""
    slots: dict[tuple[str, int], list[Any]] = {}
    for moment, order in sorted(blocks, key=lambda block: block[0]):
        driver = order["driver_assigned"]
        slots.setdefault((driver["id"] if driver else "", moment.hour), []).append(order)
    return slots


async def plan_order(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    form_data: FormData,
) -> Any:  # noqa: ANN401 - JSON
    """Set or remove an order's driver and scheduled time. Return the changed order."""
    zone = await load_zone(client)
    requested_driver, current_driver = form_data.get("driver", ""), order["driver_assigned"]
    body = {"scheduled_at": Field(name="at", label="", kind="moment").parse(form_data, zone)}
    if requested_driver != (current_driver["id"] if current_driver else ""):
        body["driver"] = requested_driver or None
    version = form_data.get("version") or None
    return await client.send("PATCH", ORDER_PATH, body, version=version, order_id=order["id"])
