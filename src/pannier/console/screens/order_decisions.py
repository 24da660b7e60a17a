"""Decisions on undelivered items: the form for another attempt, and the return."""

from collections.abc import Mapping
from typing import Final

from litestar import Response

from pannier.console import lookup, session
from pannier.console.api_client import ApiClient
from pannier.console.forms import FormErrors
from pannier.console.records import load_zone
from pannier.console.retry_form import RETRY, STOP_FIELDS, make_retry_form, name_retry_form
from pannier.console.screens.order import ORDER
from pannier.console.screens.order_actions import ORDER_PATH, redirect_to_order
from pannier.console.session import FormData
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import post

DECISION_MESSAGES: Final[Mapping[str, str]] = {
    RETRY: "Delivery will be retried.",
    "return": "Items will be returned.",
}
WAYPOINT_PATH: Final = "/v1/waypoints/{waypoint_id}"
# Problems that the form can correct.
FORM_STATUSES: Final = frozenset({400, 404, 409, 412, 422})


@post("/orders/{identifier:str}/decide", status_code=200)
async def decide_attempt(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save the decision on undelivered items, and the changes for another attempt."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    outcome, waypoint = form_data.get("then", ""), form_data.get("waypoint") or None
    try:
        await client.send(
            "POST",
            f"{ORDER_PATH}/resume-attempt",
            {"then": outcome, "waypoint": waypoint},
            version=form_data.get("version") or None,
            order_id=identifier,
        )
        if outcome == RETRY:
            await _save_changes(client, identifier, waypoint, form_data)
    except Problem as problem:
        if outcome != RETRY or problem.status not in FORM_STATUSES:
            raise
        return await _render_again(client, identifier, waypoint, form_data, problem)
    return redirect_to_order(
        exchange, identifier, DECISION_MESSAGES.get(outcome, "Decision saved.")
    )


async def _save_changes(
    client: ApiClient, identifier: str, waypoint: str | None, form_data: FormData
) -> None:
    """Save the new address, time window, note and driver, as far as they were changed."""
    order = await client.get(ORDER_PATH, order_id=identifier)
    zone = await load_zone(client)
    form, previous_values = make_retry_form(order, waypoint, zone)
    resolved_data = await lookup.resolve_form(client, form.fields, form_data, previous_values)
    body = form.make_body(resolved_data, zone, "edit", previous_values)
    stop_body = {name: value for name, value in body.items() if name in STOP_FIELDS}
    order_body = {name: value for name, value in body.items() if name not in STOP_FIELDS}
    if waypoint is None:
        order_body |= stop_body
    elif stop_body:
        await client.send("PATCH", WAYPOINT_PATH, stop_body, waypoint_id=waypoint)
    if order_body:
        await client.send("PATCH", ORDER_PATH, order_body, order_id=identifier)


async def _render_again(
    client: ApiClient,
    identifier: str,
    waypoint: str | None,
    form_data: FormData,
    problem: Problem,
) -> Response[bytes]:
    """Undo the decision, and render the order with the form open."""
    await client.undo(problem)
    order = await client.get(ORDER_PATH, order_id=identifier)
    form, _ = make_retry_form(order, waypoint, await load_zone(client))
    return await ORDER.render_record(
        client, order, status=problem.status, opened=name_retry_form(waypoint),
        filled=form.refill(form_data), refusal=FormErrors.from_problem(problem, form),
    )  # fmt: skip


handlers: Final = [decide_attempt]
