"""Undo of assignments and schedules: the form in the message after the change."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import error_pages, responses, session, undo
from pannier.console.api_client import ApiClient
from pannier.console.formatting import record_name
from pannier.console.order_messages import describe_problem
from pannier.console.record_urls import shorten_id
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import post
from pannier.web.versions import PreconditionFailed

CHANGED_SINCE: Final = "It has changed since."
MAX_REASONS: Final = 5


@post("/orders/undo", status_code=200)
async def undo_changes(exchange: Exchange) -> Response[bytes]:
    """Restore the earlier driver, vehicle and schedule of orders that have not changed since."""
    client = ApiClient(exchange)
    client.require("PATCH", undo.ORDER_PATH)
    steps = undo.read_steps(session.read_form(exchange))
    problems = await undo.run_steps(client, steps)
    refused = {order: problem for order, problem in problems.items() if problem is not None}
    done_count = len(problems) - len(refused)
    count_text = "Undone." if len(problems) == 1 else f"Undone: {done_count} of {len(problems)}."
    return responses.redirect_with_flash(
        exchange,
        error_pages.get_previous_page_url(exchange),
        message=count_text if done_count else "",
        error=await _describe_refusals(client, refused),
    )


async def _describe_refusals(client: ApiClient, refused: Mapping[str, Problem]) -> str:
    """Describe why orders were not restored: "Not undone: SO-1. It has changed since."."""
    if not refused:
        return ""
    query = {"id": list(refused), "limit": str(undo.MAX_STEPS)}
    orders: dict[str, Any] = {
        order["id"]: order for order in (await client.list_rows("/v1/orders", query)).rows
    }
    orders_by_reason: dict[str, list[str]] = {}
    for order, problem in refused.items():
        is_stale = isinstance(problem, PreconditionFailed)
        reason = CHANGED_SINCE if is_stale else describe_problem(problem)
        name = record_name(orders[order]) if order in orders else shorten_id(order)
        orders_by_reason.setdefault(reason, []).append(name)
    sentences = [
        f"Not undone: {', '.join(sorted(names))}. {reason}"
        for reason, names in list(orders_by_reason.items())[:MAX_REASONS]
    ]
    return " ".join(sentences)


handlers: Final = [undo_changes]
