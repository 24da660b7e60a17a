"""Data for a plan's page: the chart, the map and the figures."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pannier.console import plan_chart, plan_figures, plan_map
from pannier.console.api_client import ApiClient
from pannier.console.plan_chart import DriverLane, ScheduleChart
from pannier.console.record_urls import shorten_id
from pannier.console.records import load_zone
from pannier.errors import Conflict

HOME: Final = "/console/plan"
PLANS_PATH: Final = "/v1/plans"
PLAN_PATH: Final = "/v1/plans/{plan_id}"
WAITING_STATES: Final = frozenset({"queued", "running"})
# States in which a plan has routes.
ROUTED_STATES: Final = frozenset({"done", "accepted"})
MAX_OTHERS: Final = "20"
# Drivers with more stops in all are spread over several pages.
MAX_PAGE_STOPS: Final = 110
# With more stops, the page lists one driver's stops at a time.
MAX_LISTED_STOPS: Final = 40
MAX_UNASSIGNED: Final = 25
# The value of the driver field for unassigned orders.
NOBODY: Final = "none"


def plan_url(identifier: str) -> str:
    """Return the URL of a plan's page."""
    return f"{HOME}/{identifier}"


async def load_plan(client: ApiClient, identifier: str) -> Any:  # noqa: ANN401 - JSON
    """Load a plan."""
    return await client.get(PLAN_PATH, plan_id=identifier)


async def load_streets(client: ApiClient, identifier: str) -> dict[str, list[Any]]:
    """Load the lines of a plan's routes along streets, by driver."""
    routes = await client.get(f"{PLAN_PATH}/lines", plan_id=identifier)
    streets: dict[str, list[Any]] = {}
    for route in routes:
        if route["line"] is not None:
            streets.setdefault(route["driver"], []).append(route["line"]["coordinates"])
    return streets


class PlanQuery(NamedTuple):
    """What a plan's page shows: a side, and a page of drivers and of unassigned orders."""

    side: str = ""
    # The driver whose stops are listed; the page is the one with this driver.
    driver: str = ""
    page: int = 1
    unassigned_page: int = 1

    @classmethod
    def parse(cls, query: Mapping[str, str]) -> "PlanQuery":
        """Parse a page's query. An unknown page is the first one."""
        page, unassigned_page = (_parse_page(query.get(name)) for name in ("page", "unassigned"))
        return cls(query.get("side", ""), query.get("driver", ""), page, unassigned_page)


def _parse_page(text: str | None) -> int:
    return int(text[:6]) if text and text.isascii() and text.isdigit() else 1


class PlanView(NamedTuple):
    """A plan's routes, prepared for its page."""

    chart: ScheduleChart | None
    # The drivers on this page.
    lanes: Sequence[DriverLane]
    late: Sequence[tuple[DriverLane, Any]]
    features: Mapping[str, Any]
    page: int = 1
    pages: int = 1

    @property
    def lists_all(self) -> bool:
        """Whether the page lists the stops of all drivers at once."""
        return sum(len(lane.stops) for lane in self.lanes) <= MAX_LISTED_STOPS

    @classmethod
    async def load(cls, client: ApiClient, plan: Any, query: PlanQuery) -> "PlanView":  # noqa: ANN401 - JSON
        """Load the view of the plan's routes, or of the assignment before the plan."""
        numbers = plan_chart.number_drivers(plan["routes"], plan["present_routes"])
        routes = plan["present_routes" if query.side == "current" else "routes"]
        lanes = plan_chart.make_lanes(routes, numbers)
        pages = plan_chart.split_lanes(lanes, MAX_PAGE_STOPS)
        page = _find_page(pages, query)
        return cls(
            plan_chart.make_chart(lanes, await load_zone(client)),
            pages[page - 1],
            plan_chart.list_late_stops(lanes),
            plan_map.make_features(pages[page - 1], "/console/orders"),
            page,
            len(pages),
        )


def _find_page(pages: Sequence[Sequence[DriverLane]], query: PlanQuery) -> int:
    """Return the number of the page with the listed driver, or else of the requested page."""
    for number, lanes in enumerate(pages, 1):
        if any(lane.driver["id"] == query.driver for lane in lanes):
            return number
    return query.page if 1 <= query.page <= len(pages) else 1


async def load_context(client: ApiClient, plan: Any, query: PlanQuery) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load the variables of a plan's page."""
    view = await PlanView.load(client, plan, query)
    unassigned_pages = max(1, -(-len(plan["unassigned"]) // MAX_UNASSIGNED))
    unassigned_page = min(max(1, query.unassigned_page), unassigned_pages)
    return {
        "plan": plan, "view": view, "side": query.side, "listed": query.driver, "home": HOME,
        "unassigned": plan["unassigned"][(unassigned_page - 1) * MAX_UNASSIGNED:][:MAX_UNASSIGNED],
        "unassigned_page": unassigned_page, "unassigned_pages": unassigned_pages,
        "here": plan_url(plan["id"]),
        "is_waiting": plan["state"] in WAITING_STATES,
        "is_shown": plan["state"] in ROUTED_STATES,
        "rows": plan_figures.list_rows(plan["summary"], plan["present"]),
        "question": plan_figures.make_accept_question(plan),
        "undo_question": plan_figures.UNDO_QUESTION,
        "others": await list_other_plans(client, plan),
        "idle": _list_idle_drivers(plan),
        "map_pins": plan_map.map_pins,
    }  # fmt: skip


async def list_other_plans(client: ApiClient, plan: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """List the day's other plans with routes, the newest first."""
    filters = {"day": plan["day"], "state": sorted(ROUTED_STATES), "limit": MAX_OTHERS}
    rows = (await client.list_rows(PLANS_PATH, filters)).rows
    return [row for row in rows if row["id"] != plan["id"]]


def _list_idle_drivers(plan: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """List the plan's drivers without work."""
    busy_ids = {route["driver"]["id"] for route in plan["routes"]}
    idle_drivers = {shift["driver"]["id"]: shift["driver"] for shift in plan["idle"]}
    return [driver for identifier, driver in idle_drivers.items() if identifier not in busy_ids]


def describe_conflict(plan: Any, conflict: Conflict | None) -> list[str]:  # noqa: ANN401 - JSON
    """Describe the changes since the plan was made, with the names of orders and drivers."""
    if conflict is None:
        return []
    routes = (*plan["routes"], *plan["present_routes"])
    names = {route["driver"]["id"]: route["driver"]["name"] for route in routes}
    names |= {
        row["order"]: row["number"]
        for row in (*plan["unassigned"], *(stop for route in routes for stop in route["stops"]))
    }
    sentences = []
    for change in conflict.extra["changes"]:
        subject_ids = [change[name] for name in ("order", "driver") if change.get(name)]
        subject = ", ".join(
            names.get(identifier) or shorten_id(identifier) for identifier in subject_ids
        )
        sentences.append(f"{subject}: {change['message']}" if subject else change["message"])
    return sentences
