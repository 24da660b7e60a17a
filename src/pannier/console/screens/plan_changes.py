"""Changes to plans: manual moves and locks, acceptance and its undoing, and comparisons."""

from typing import Any, Final

from litestar import Response

from pannier.console import confirmation, plan_figures, plan_form, plan_moves, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.plan_moves import OrderMove
from pannier.console.plan_view import HOME, PLAN_PATH, load_plan, plan_url
from pannier.console.records import read_query
from pannier.console.screens.plan import format_day, render_plan
from pannier.console.session import FormData
from pannier.errors import Conflict, Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.versions import PreconditionFailed

STALE_MESSAGE: Final = "This plan was changed after you opened it. Check it, then try again."
COMPARED_PLANS: Final = 2


@get("/plan/{identifier:str}/move")
async def preview_move(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show the effect of a move, with the form that saves it."""
    client = ApiClient(exchange)
    plan = await load_plan(client, identifier)
    move = OrderMove.from_query(plan, read_query(exchange))
    return await responses.render_page(
        client, "plan/move.html", title=f"Move {move.number}", plan=plan, move=move, home=HOME,
        here=plan_url(identifier), preview=await plan_moves.load_preview(client, plan, move),
        day=format_day(plan["day"]),
    )  # fmt: skip


@post("/plan/{identifier:str}/move", status_code=200)
async def save_move(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save a move of an order to a driver and a position."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    plan = await load_plan(client, identifier)
    move = OrderMove.from_query(plan, form_data)
    try:
        await _save_edit(client, identifier, move.make_body(), form_data)
    except Problem as problem:
        await client.undo(problem)
        return responses.redirect_with_flash(
            exchange, plan_url(identifier), error=_describe_problem(problem)
        )
    message = f"Moved {move.number} to {move.find_driver_name(plan)}."
    return responses.redirect_with_flash(exchange, plan_url(identifier), message=message)


@post("/plan/{identifier:str}/lock", status_code=200)
async def toggle_lock(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Lock an order to its driver for plans based on this one, or unlock it."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    plan = await client.get(PLAN_PATH, plan_id=identifier)
    order, locked_orders = form_data.get("order", ""), plan["locked"]
    is_locked = order in locked_orders
    new_locked = (
        [locked_order for locked_order in locked_orders if locked_order != order]
        if is_locked
        else [*locked_orders, order]
    )
    try:
        await _save_edit(client, identifier, {"locked": new_locked}, form_data)
    except PreconditionFailed as problem:
        await client.undo(problem)
        return responses.redirect_with_flash(exchange, plan_url(identifier), error=STALE_MESSAGE)
    message = (
        "Order unlocked."
        if is_locked
        else "Order locked. New plans based on this one keep its driver."
    )
    return responses.redirect_with_flash(exchange, plan_url(identifier), message=message)


async def _save_edit(
    client: ApiClient, identifier: str, body: dict[str, Any], form_data: FormData
) -> None:
    version = form_data.get("version") or None
    await client.send("PATCH", PLAN_PATH, body, version=version, plan_id=identifier)


def _describe_problem(problem: Problem) -> str:
    if isinstance(problem, PreconditionFailed):
        return STALE_MESSAGE
    return plan_moves.describe_problem(problem)


@post("/plan/{identifier:str}/accept", status_code=200)
async def accept_plan(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Assign the orders of a plan. If orders or drivers have changed, show the changes."""
    client = ApiClient(exchange)
    plan = await client.get(PLAN_PATH, plan_id=identifier)
    confirmation.require_confirmation(exchange, plan_figures.make_accept_question(plan), "Accept")
    return await _accept_or_revert(
        client, identifier, "accept", None, "Plan accepted. Orders assigned."
    )


@post("/plan/{identifier:str}/revert", status_code=200)
async def revert_plan(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Return the orders of an accepted plan to their previous drivers."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    confirmation.require_confirmation(exchange, plan_figures.UNDO_QUESTION, "Undo")
    body = {"skip_changed": form_data.get("skip") == "yes"}
    message = "Plan undone. Orders have their previous drivers again."
    return await _accept_or_revert(client, identifier, "revert", body, message)


async def _accept_or_revert(
    client: ApiClient, identifier: str, action: str, body: dict[str, Any] | None, message: str
) -> Response[bytes]:
    """Accept or revert a plan, or show the changes that prevent it."""
    exchange = client.exchange
    version = session.read_form(exchange).get("version") or None
    try:
        await client.send(
            "POST", f"{PLAN_PATH}/{action}", body, version=version, plan_id=identifier
        )
    except PreconditionFailed as problem:
        await client.undo(problem)
        return responses.redirect_with_flash(exchange, plan_url(identifier), error=STALE_MESSAGE)
    except Conflict as problem:
        if not problem.extra.get("changes"):
            raise
        await client.undo(problem)
        return await render_plan(client, identifier, conflict=problem, refused_action=action)
    return responses.redirect_with_flash(exchange, plan_url(identifier), message=message)


@get("/plan/compare")
async def compare_plans(exchange: Exchange) -> Response[bytes]:
    """Compare two plans: their figures, and the orders that each driver gains and loses."""
    client = ApiClient(exchange)
    plan_ids = list(dict.fromkeys(FormData(exchange.query).get_all("plan")))
    if len(plan_ids) != COMPARED_PLANS:
        raise Invalid("Select two plans to compare them.")
    plans = [await load_plan(client, plan_id) for plan_id in plan_ids]
    first_plan, second_plan = plans
    return await responses.render_page(
        client, "plan/compare.html", title="Compare plans", home=HOME, plans=plans,
        aims=plan_form.AIM_LABELS, days=[format_day(plan["day"]) for plan in plans],
        rows=plan_figures.list_rows(second_plan["summary"], first_plan["summary"]),
        drivers=plan_figures.list_driver_rows(first_plan["routes"], second_plan["routes"]),
    )  # fmt: skip


handlers: Final = [
    compare_plans,
    preview_move,
    save_move,
    toggle_lock,
    accept_plan,
    revert_plan,
]
