"""Failed delivery attempts of an order: their reasons, and their reasons."""

from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import session
from pannier.console.api_client import ApiClient
from pannier.console.order_view import is_open
from pannier.console.records import load_zone
from pannier.console.retry_form import make_retry_form, name_retry_form
from pannier.console.screens.order_actions import ORDER_PATH, redirect_to_order
from pannier.web.exchange import Exchange
from pannier.web.routes import post

# The next steps after a failed attempt: label, color and icon.
NEXT_STEPS: Final[Mapping[str, tuple[str, str, str]]] = {
    "retry": ("Retry", "blue", "rotate-ccw"),
    "hold": ("On hold", "amber", "pause"),
    "return": ("Return", "grey", "undo-2"),
}


async def list_attempts(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    proofs: list[Any],
) -> list[Mapping[str, Any]]:
    """List the failed attempts with their stops and proofs, and open decisions."""
    if not order["attempts"]:
        return []
    page = await client.list_rows(f"{ORDER_PATH}/attempts", {"limit": "60"}, order_id=order["id"])
    stops = {stop["id"]: stop for stop in order["payload"]["waypoints"]}
    zone = await load_zone(client)
    attempts: list[Mapping[str, Any]] = []
    seen_waypoints: set[str | None] = set()
    for attempt in page.rows:
        stop = stops.get(attempt["waypoint"])
        open_decision = (
            (stop or order)["undelivered"] if attempt["waypoint"] not in seen_waypoints else None
        )
        seen_waypoints.add(attempt["waypoint"])
        attempts.append(
            {
                **attempt,
                "where": (stop["name"] or stop["address"]) if stop else None,
                "waits": open_decision if is_open(order) else None,
                "retry": _describe_retry_form(order, attempt["waypoint"], zone),
                "proofs": [proof for proof in proofs if proof["id"] in attempt["proofs"]],
            }
        )
    return attempts


def _describe_retry_form(
    order: Any,  # noqa: ANN401 - JSON
    waypoint: str | None,
    zone: ZoneInfo,
) -> Mapping[str, Any]:
    """Return the form for another attempt, as the order's page renders it."""
    form, values = make_retry_form(order, waypoint, zone)
    return {"name": name_retry_form(waypoint), "fields": form.fields, "values": values}


async def list_failure_reasons(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
    next_activities: list[Any],
) -> list[Any]:
    """List the selectable failure reasons. There are none unless a delivery is in progress."""
    is_returning = order["undelivered"] == "return" and [
        activity["code"] for activity in next_activities
    ] == ["returned"]
    is_delivering = order["started"] and next_activities and not is_returning
    if not is_delivering or not client.is_allowed("POST", f"{ORDER_PATH}/fail-attempt"):
        return []
    remaining_flow = await client.get(f"{ORDER_PATH}/flow", order_id=order["id"])
    return list(remaining_flow["failure_reasons"])


@post("/orders/{identifier:str}/attempt", status_code=200)
async def report_attempt(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Report a failed attempt."""
    form_data = session.read_form(exchange)
    body = {
        "reason": form_data.get("reason", ""),
        "remarks": form_data.get("remarks", "").strip() or None,
        "then": form_data.get("then") or None,
    }
    template = f"{ORDER_PATH}/fail-attempt"
    await ApiClient(exchange).send("POST", template, body, order_id=identifier)
    return redirect_to_order(exchange, identifier, "Failed attempt reported.")


handlers: Final = [report_attempt]
