"""Cash on delivery on an order's page: what each stop collects, and what was collected."""

from typing import Any, Final

from pannier.console.api_client import ApiClient

COLLECTIONS_PATH: Final = "/int/v1/cash/collections"
MAX_COLLECTIONS: Final = "100"


async def list_cash(client: ApiClient, order: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """List the cash that an order's stops collect, with the collection of each."""
    if not order["cash_to_collect"] and not order["payload"]["waypoints"]:
        due: list[tuple[str | None, str, Any]] = []
    elif order["payload"]["waypoints"]:
        due = [
            (stop["id"], f"Stop {number}", stop["cash_to_collect"])
            for number, stop in enumerate(order["payload"]["waypoints"], 1)
            if stop["cash_to_collect"]
        ]
    else:
        due = [(None, "Drop-off", order["cash_to_collect"])]
    rows = await client.list_rows(
        COLLECTIONS_PATH, {"order": order["id"], "limit": MAX_COLLECTIONS}
    )
    by_stop = {row["waypoint"]: row for row in rows.rows}
    shown = [
        {"where": where, "due": cash, "collection": by_stop.pop(stop, None)}
        for stop, where, cash in due
    ]
    # The cash of stops that no longer exist.
    return [
        *shown,
        *({"where": "Removed stop", "due": None, "collection": row} for row in by_stop.values()),
    ]
