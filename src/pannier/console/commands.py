"""Commands of the palette: "New order", and "Assign SO-17" for an order that matches a text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pannier.console.api_client import ApiClient
from pannier.console.formatting import record_name
from pannier.console.order_view import can_change, is_open
from pannier.errors import Problem

ORDERS_API: Final = "/v1/orders"
ORDERS_HOME: Final = "/console/orders"
MIN_TEXT_LENGTH: Final = 2


class Command(NamedTuple):
    """A command, and the page that it opens."""

    label: str
    url: str
    icon: str
    # The API call of the page. Without access to it, the command is hidden.
    method: str
    api_path: str


class OrderCommand(NamedTuple):
    """A command on an order: its verb, the part of its URL, and its API call."""

    verb: str
    url_suffix: str
    icon: str
    method: str
    api_path: str
    condition: Callable[[Any], bool]


def _make_create_command(noun: str, resource: str, api_path: str) -> Command:
    return Command(f"New {noun}", f"/console/{resource}/new", "plus", "POST", api_path)


COMMANDS: Final = (
    _make_create_command("order", "orders", ORDERS_API),
    Command(
        "New order from template", "/console/order-templates", "list", "POST",
        "/v1/order-templates/{order_template_id}/orders",
    ),
    Command(
        "Assign an order", f"{ORDERS_HOME}?layout=table&unassigned=true", "user-check", "POST",
        "/v1/orders/{order_id}/assign-driver",
    ),
    Command("Plan routes", "/console/plan", "route", "POST", "/v1/plans"),
    _make_create_command("driver", "drivers", "/v1/drivers"),
    _make_create_command("vehicle", "vehicles", "/v1/vehicles"),
    _make_create_command("contact", "contacts", "/v1/contacts"),
    _make_create_command("place", "places", "/v1/places"),
    _make_create_command("issue", "issues", "/v1/issues"),
)  # fmt: skip
ORDER_COMMANDS: Final[Mapping[str, OrderCommand]] = {
    "assign": OrderCommand(
        "Assign", "?do=assign", "user-check", "POST", "/v1/orders/{order_id}/assign-driver", is_open
    ),
    "schedule": OrderCommand(
        "Schedule", "?do=schedule", "calendar-clock", "POST", "/v1/orders/{order_id}/schedule",
        lambda order: can_change(order, "scheduled_at"),
    ),
    "edit": OrderCommand(
        "Edit", "/edit", "pencil", "PATCH", "/v1/orders/{order_id}", lambda _: True
    ),
    "cancel": OrderCommand(
        "Cancel", "?do=cancel", "ban", "POST", "/v1/orders/{order_id}/cancel", is_open
    ),
}  # fmt: skip


def list_commands(client: ApiClient, query: str) -> list[Command]:
    """List the commands whose label contains the query. Without a query, list the first one."""
    commands: Iterator[Command] = (
        command for command in COMMANDS if client.is_allowed(command.method, command.api_path)
    )
    if not query:
        return list(commands)[:1]
    return [command for command in commands if query.casefold() in command.label.casefold()]


async def find_order_commands(client: ApiClient, query: str, limit: int) -> Sequence[Command]:
    """Find the orders of a query such as "assign SO-17", and list the command for each."""
    word, _, text = query.partition(" ")
    command = ORDER_COMMANDS.get(word.casefold())
    if command is None or len(text.strip()) < MIN_TEXT_LENGTH:
        return []
    if not client.is_allowed(command.method, command.api_path):
        return []
    try:
        page = await client.list_rows(ORDERS_API, {"query": text.strip(), "limit": str(limit)})
    except Problem:
        # The list cannot be searched for this text, so it has no match.
        return []
    return [
        Command(
            f"{command.verb} {record_name(order)}",
            f"{ORDERS_HOME}/{order['id']}{command.url_suffix}",
            command.icon,
            command.method,
            command.api_path,
        )
        for order in page.rows
        if command.condition(order)
    ]
