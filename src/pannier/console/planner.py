"""The planner: a day of orders, with a row for each driver and a column for each hour."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from pannier.console.desk import Desk
from pannier.console.door import Sent
from pannier.console.forms import Field
from pannier.console.records import PAGE, zone_of
from pannier.console.words import read

ASSIGN: Final = "/v1/orders/{order_id}/assign-driver"
# Drivers with these statuses cannot be assigned.
IDLE: Final = frozenset({"inactive", "suspended", "terminated"})
WAITING: Final = 20
# Filters that the planner sets itself.
DAYS: Final = ("on", "scheduled", "scheduled_since", "scheduled_until", "status")


async def people(desk: Desk) -> list[Any]:
    """List up to 100 drivers who can be assigned: online ones first, then by name."""
    found = await desk.rows("/v1/drivers", {"limit": "100"})
    working = [row for row in found.rows if row["status"] not in IDLE]
    names = Counter(row["name"] for row in working)
    labeled = [
        {
            **row,
            "label": row["name"] if names[row["name"]] == 1 else f"{row['name']} · {row['phone']}",
        }
        for row in working
    ]
    return sorted(labeled, key=lambda row: (not row["online"], row["name"].casefold()))


async def show(desk: Desk, asked: dict[str, Any], given: Sent, zone: ZoneInfo) -> dict[str, Any]:
    """Load the day, and the orders without a scheduled time."""
    now = desk.exchange.db.now.astimezone(zone)
    on = _day(given.get("on", ""), now.date())
    begin, end = (
        datetime.combine(on + timedelta(days=later), time(), zone).isoformat() for later in (0, 1)
    )
    rest = {name: value for name, value in asked.items() if name not in DAYS}
    of_day = {**rest, "scheduled_since": begin, "scheduled_until": end}
    found = await desk.rows(
        "/v1/orders", {**of_day, "limit": str(PAGE), "cursor": given.get("cursor")}
    )
    unplanned = {**rest, "status": "created", "scheduled": "false", "limit": str(WAITING)}
    waiting = await desk.rows("/v1/orders", unplanned)
    rows = (await people(desk))[:PAGE]
    shown = {person["id"] for person in rows}
    blocks = [(read(order["scheduled_at"]).astimezone(zone), order) for order in found.rows]
    hours = _hours([moment.hour for moment, _ in blocks])
    return {
        "on": on,
        "today": now.date(),
        "hours": [(hour, f"{on}T{hour:02}:00") for hour in hours],
        "present": now.hour if on == now.date() else None,
        "slots": _slots(blocks),
        "others": sorted(
            {
                (driver["id"], driver["name"])
                for driver in (order["driver_assigned"] for order in found.rows)
                if driver and driver["id"] not in shown
            }
        ),
        "rows": rows,
        "waiting": waiting.rows,
        "waiting_more": waiting.cursor is not None,
        "onward": found.cursor,
        "days": [on - timedelta(days=1), on + timedelta(days=1)],
    }


def _day(text: str, otherwise: date) -> date:
    """Parse a day. The calendar's first and last year have no day before or after."""
    try:
        told = date.fromisoformat(text)
    except ValueError:
        return otherwise
    return told if date.min.year < told.year < date.max.year else otherwise


def _hours(busy: Sequence[int]) -> range:
    """Return the working hours, extended to all scheduled orders."""
    return range(min([8, *busy]), max([18, *busy]) + 1)


def _slots(blocks: Sequence[tuple[datetime, Any]]) -> dict[tuple[str, int], list[Any]]:
    """Group orders by driver and hour, the earliest first."""
    made: dict[tuple[str, int], list[Any]] = {}
    for moment, order in sorted(blocks, key=lambda block: block[0]):
        driver = order["driver_assigned"]
        made.setdefault((driver["id"] if driver else "", moment.hour), []).append(order)
    return made


async def plan(desk: Desk, identifier: str, sent: Sent) -> str:
    """Assign a driver and schedule an order, or remove either."""
    zone = await zone_of(desk)
    order = await desk.get("/v1/orders/{order_id}", order_id=identifier)
    wanted, had = sent.get("driver", ""), order["driver_assigned"]
    version = sent.get("version") or None
    if wanted != (had["id"] if had else ""):
        body = {"driver": wanted or None}
        await desk.act("POST", ASSIGN, body, version=version, order_id=identifier)
        version = None
    at = Field(name="at", label="", kind="moment").read(sent, zone)
    await desk.act(
        "POST", "/v1/orders/{order_id}/schedule", {"scheduled_at": at}, version=version,
        order_id=identifier,
    )  # fmt: skip
    return "Scheduled." if at else "Schedule removed."
