"""A move of an order within a plan: where it can go, and what would change."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pannier.console import plan_figures
from pannier.console.api_client import ApiClient
from pannier.console.plan_figures import Change
from pannier.console.plan_view import NOBODY, ONE
from pannier.console.statuses import to_label
from pannier.errors import Problem

# The place in the route that the planner chooses.
BEST_POSITION = ""


class OrderMove(NamedTuple):
    """An order, its driver in the plan, and the driver and position that are chosen for it."""

    order: str
    number: str
    current: Mapping[str, Any] | None
    driver: str
    position: str

    @classmethod
    def from_query(cls, plan: Any, query: Mapping[str, str]) -> "OrderMove":  # noqa: ANN401 - JSON
        """Make the move that a form asks for."""
        order = query.get("order", "")
        stops = [(route, stop) for route in plan["routes"] for stop in route["stops"]]
        current = next((route["driver"] for route, stop in stops if stop["order"] == order), None)
        rows = [*(stop for _, stop in stops), *plan["unassigned"]]
        names = (row["internal_id"] for row in rows if row["order"] == order)
        number = next(filter(None, names), order)
        return cls(order, number, current, query.get("driver", ""), query.get("position", ""))

    def make_body(self) -> dict[str, Any]:
        """Make the body of the API's call."""
        move: dict[str, Any] = {
            "order": self.order,
            "driver": None if self.driver == NOBODY else self.driver,
        }
        if self.position.isdecimal() and self.driver != NOBODY:
            move["position"] = int(self.position)
        return {"moves": [move]}

    def list_targets(self, plan: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - JSON
        """List the drivers who can get the order, those with work first."""
        drivers = {each["driver"]["id"]: each["driver"]["name"] for each in plan["routes"]}
        idle = {each["driver"]["id"]: each["driver"]["name"] for each in plan["idle"]}
        targets = [
            *sorted(drivers.items(), key=get_sort_key),
            *(
                (identifier, f"{name} (no work yet)")
                for identifier, name in sorted(idle.items(), key=get_sort_key)
                if identifier not in drivers
            ),
        ]
        return [*targets, (NOBODY, "Unassigned")] if self.current else targets

    def list_positions(self, plan: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - JSON
        """List the positions among the other stops of the chosen driver's first shift."""
        routes = [route for route in plan["routes"] if route["driver"]["id"] == self.driver]
        if len(routes) != 1:
            return []
        other_stops = [stop for stop in routes[0]["stops"] if stop["order"] != self.order]
        return [
            (BEST_POSITION, "Best"),
            ("0", "First"),
            *((str(index), _describe_position(stop)) for index, stop in enumerate(other_stops, 1)),
        ]

    def name_driver(self, plan: Any) -> str:  # noqa: ANN401 - JSON
        """Return the name of the chosen driver."""
        names = {each["driver"]["id"]: each["driver"]["name"]
                 for each in (*plan["routes"], *plan["idle"])}  # fmt: skip
        return "Unassigned" if self.driver == NOBODY else names.get(self.driver, "another driver")


def get_sort_key(pair: tuple[str, str]) -> str:
    return pair[1].casefold()


def _describe_position(stop: Mapping[str, Any]) -> str:
    return f"After {to_label(stop['type']).lower()} {stop['internal_id'] or stop['order']}"


class RouteChange(NamedTuple):
    """A driver's route before and after a move: its figures, and the stops that will be late."""

    driver: Mapping[str, Any]
    changes: Sequence[tuple[str, Change]]
    late: Sequence[Any]


class MovePreview(NamedTuple):
    """What a move would change, or why it is refused."""

    changes: Sequence[tuple[str, Change]] = ()
    routes: Sequence[RouteChange] = ()
    wrong: str = ""
    # Whether the order would be left out, and why.
    left_out: str = ""

    def describe(self) -> str:
        """Describe the change in a line: "+12 min, +3.4 km"."""
        return ", ".join(f"{label.lower()} {change.text}" for label, change in self.changes)


async def load_preview(client: ApiClient, plan: Any, move: OrderMove) -> MovePreview | None:  # noqa: ANN401 - JSON
    """Load what a move would change. Without a driver there is nothing to see."""
    if not move.driver:
        return None
    try:
        preview = await client.send("POST", f"{ONE}/preview", move.make_body(), plan_id=plan["id"])
    except Problem as problem:
        await client.undo(problem)
        return MovePreview(wrong=describe_problem(problem))
    reasons = (each["message"] for each in preview["unassigned"] if each["order"] == move.order)
    return MovePreview(
        plan_figures.describe_change(preview["before"], preview["after"]),
        [_make_route_change(each, preview["after"]["currency"]) for each in preview["routes"]],
        left_out="" if move.driver == NOBODY else next(reasons, ""),
    )


def describe_problem(problem: Problem) -> str:
    """Return why a move is refused, without the names of fields."""
    return " ".join(error.message for error in problem.fields) or problem.detail


def _make_route_change(route: Any, currency: str | None) -> RouteChange:  # noqa: ANN401 - JSON
    changes = [
        (figure.label, figure.to_change(route["change"][figure.name], currency))
        for figure in plan_figures.FIGURES
        if route["change"].get(figure.name)
    ]
    stops = route["after"]["stops"] if route["after"] else []
    return RouteChange(route["driver"], changes, [stop for stop in stops if stop["late"]])
