"""Orders that a bulk action takes from other drivers: the question before it, and the report."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pannier.console import confirmation, record_names
from pannier.console.api_client import ApiClient
from pannier.console.formatting import record_name
from pannier.console.order_view import is_open

# Further orders of a driver are counted.
MAX_NAMED_ORDERS: Final = 5


async def confirm_takeovers(
    client: ApiClient,
    orders: Iterable[Any],
    label: str,
    body: Mapping[str, str] | None,
) -> None:
    """Require a confirmation if other drivers have some of the orders that a driver gets."""
    new_driver = (body or {}).get("driver")
    if not new_driver:
        return
    orders_by_driver: dict[str, list[str]] = {}
    for order in orders:
        driver = order["driver_assigned"]
        if driver and is_open(order) and new_driver not in {driver["id"], driver["uuid"]}:
            orders_by_driver.setdefault(driver["name"], []).append(record_name(order))
    if not orders_by_driver:
        return
    names = await record_names.load_labels(client, [new_driver])
    count = sum(map(len, orders_by_driver.values()))
    losses = "; ".join(
        f"{driver} loses {_join_names(sorted(numbers))}"
        for driver, numbers in sorted(orders_by_driver.items())
    )
    question = (
        f"{'1 order already has' if count == 1 else f'{count} orders already have'} a driver. "
        f"{losses}. Reassign to {names.get(new_driver, 'the selected driver')}?"
    )
    confirmation.require_confirmation(client.exchange, question, label)


def _join_names(names: list[str]) -> str:
    hidden_count = len(names) - MAX_NAMED_ORDERS
    suffix = f" and {hidden_count} more" if hidden_count > 0 else ""
    return ", ".join(names[:MAX_NAMED_ORDERS]) + suffix


def list_previous_drivers(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of drivers who have lost an order, by order."""
    return {
        order: before[order]["driver_assigned"]["name"]
        for order in before.keys() & after
        if before[order]["driver_assigned"]
        and _get_driver(before[order]) != _get_driver(after[order])
    }


def _get_driver(order: Any) -> str | None:  # noqa: ANN401 - JSON
    driver = order["driver_assigned"]
    return driver["id"] if driver else None
