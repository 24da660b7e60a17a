"""Moves of an order within a plan: possible targets, and a preview of the effect."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pannier.console import plan_figures
from pannier.console.api_client import ApiClient
from pannier.console.plan_figures import Change
from pannier.console.plan_view import NOBODY, PLAN_PATH
from pannier.console.statuses import to_label
from pannier.errors import Problem

# The planner chooses the position.
BEST_POSITION = ""


class OrderMove(NamedTuple):
    """A move of an order: its current driver, and the selected driver and position."""

    order: str
    number: str
    current: Mapping[str, Any] | None
    driver: str
    position: str

    @classmethod
    def from_query(cls, plan: Any, query: Mapping[str, str]) -> "OrderMove":  # noqa: ANN401 - JSON
        """Make the move requested by a form."""
        order = query.get("order", "")
        stops = [(route, stop) for route in plan["routes"] for stop in route["stops"]]
        current_driver = next(
            (route["driver"] for route, stop in stops if stop["order"] == order), None
        )
        rows = [*(stop for _, stop in stops), *plan["unassigned"]]
        number = next((row["number"] for row in rows if row["order"] == order), order)
        return cls(
            order, number, current_driver, query.get("driver", ""), query.get("position", "")
        )

    def make_body(self) -> dict[str, Any]:
        """Build the body of the API call."""
        move: dict[str, Any] = {
            "order": self.order,
            "driver": None if self.driver == NOBODY else self.driver,
        }
        if self.position.isdecimal() and self.driver != NOBODY:
            move["position"] = int(self.position)
        return {"moves": [move]}

    def list_targets(self, plan: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - JSON
        """List the drivers who can take the order, those with work first."""
        drivers = {route["driver"]["id"]: route["driver"]["name"] for route in plan["routes"]}
        idle_drivers = {shift["driver"]["id"]: shift["driver"]["name"] for shift in plan["idle"]}
        targets = [
            *sorted(drivers.items(), key=fold_name),
            *(
                (identifier, f"{name} (no work yet)")
                for identifier, name in sorted(idle_drivers.items(), key=fold_name)
                if identifier not in drivers
            ),
        ]
        return [*targets, (NOBODY, "Unassigned")] if self.current else targets

    def list_positions(self, plan: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - JSON
        """List the positions in the selected driver's route, if the driver has a single shift."""
        routes = [route for route in plan["routes"] if route["driver"]["id"] == self.driver]
        if len(routes) != 1:
            return []
        other_stops = [stop for stop in routes[0]["stops"] if stop["order"] != self.order]
        return [
            (BEST_POSITION, "Best"),
            ("0", "First"),
            *((str(index), _describe_position(stop)) for index, stop in enumerate(other_stops, 1)),
        ]

    def find_driver_name(self, plan: Any) -> str:  # noqa: ANN401 - JSON
        """Return the name of the selected driver."""
        names = {shift["driver"]["id"]: shift["driver"]["name"]
                 for shift in (*plan["routes"], *plan["idle"])}  # fmt: skip
        return "Unassigned" if self.driver == NOBODY else names.get(self.driver, "another driver")


def fold_name(pair: tuple[str, str]) -> str:
    return pair[1].casefold()


def _describe_position(stop: Mapping[str, Any]) -> str:
    return f"After {to_label(stop['type']).lower()} {stop['number']}"


class RouteChange(NamedTuple):
    """The effect of a move on a driver's route: the changed figures, and the late stops."""

    driver: Mapping[str, Any]
    changes: Sequence[tuple[str, Change]]
    late: Sequence[Any]


class MovePreview(NamedTuple):
    """The effect of a move, or the reason for its refusal."""

    changes: Sequence[tuple[str, Change]] = ()
    routes: Sequence[RouteChange] = ()
    refusal: str = ""
    # Why the order would be unassigned, if it would.
    unassigned_reason: str = ""

    def describe(self) -> str:
        """Describe the changes in one line: "+12 min, +3.4 km"."""
        return ", ".join(f"{label.lower()} {change.text}" for label, change in self.changes)


async def load_preview(client: ApiClient, plan: Any, move: OrderMove) -> MovePreview | None:  # noqa: ANN401 - JSON
    """Load the effect of a move. Return None if no driver is selected."""
    if not move.driver:
        return None
    try:
        preview = await client.send(
            "POST", f"{PLAN_PATH}/preview", move.make_body(), plan_id=plan["id"]
        )
    except Problem as problem:
        await client.undo(problem)
        return MovePreview(refusal=describe_problem(problem))
    reasons = (row["message"] for row in preview["unassigned"] if row["order"] == move.order)
    return MovePreview(
        plan_figures.list_changes(preview["before"], preview["after"]),
        [_make_route_change(route, preview["after"]["currency"]) for route in preview["routes"]],
        unassigned_reason="" if move.driver == NOBODY else next(reasons, ""),
    )


def describe_problem(problem: Problem) -> str:
    """Describe the refusal of a move, without field names."""
    return " ".join(error.message for error in problem.fields) or problem.detail


def _make_route_change(route: Any, currency: str | None) -> RouteChange:  # noqa: ANN401 - JSON
    changes = [
        (figure.label, figure.to_change(route["change"][figure.name], currency))
        for figure in plan_figures.FIGURES
        if route["change"].get(figure.name)
    ]
    stops = route["after"]["stops"] if route["after"] else []
    return RouteChange(route["driver"], changes, [stop for stop in stops if stop["late"]])
