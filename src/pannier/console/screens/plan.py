"""Plans of a day's routes: the list, the form for a new plan, and the page of a plan."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from litestar import Response

from pannier.console import list_exports, plan_form, plan_map, plan_view, responses, session
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.formatting import format_long_day
from pannier.console.forms import Form, FormErrors
from pannier.console.plan_view import HOME, PLAN_PATH, PLANS_PATH, plan_url
from pannier.console.records import load_zone, read_query
from pannier.errors import Conflict, Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse

PAGE_SIZE: Final = "30"
ALL_ENDED_MESSAGE: Final = "All orders of this plan are completed or canceled."
# Problems that the form can correct.
FORM_STATUSES: Final = frozenset({400, 404, 409, 422})
# Reasons that exclude an order from the plan, so that no move can assign it.
OUTSIDE_REASONS: Final = frozenset(
    {"no_location", "on_hold", "nothing_left", "other_driver", "fixed_driver"}
)


def format_day(text: str) -> str:
    """Format a date of the API with its weekday."""
    day = date.fromisoformat(text)
    return f"{day:%A}, {format_long_day(day)}"


@get("/plan")
async def list_plans(exchange: Exchange) -> Response[bytes]:
    """List plans, with the form for a new one."""
    client = ApiClient(exchange)
    form = await plan_form.load_form(client)
    zone = await load_zone(client)
    today = exchange.db.now.astimezone(zone).date().isoformat()
    return await _render_list(client, form, {"day": today})


@post("/plan", status_code=200)
async def request_plan(exchange: Exchange) -> Response[bytes]:
    """Request a plan, and open its page."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    form = await plan_form.load_form(client)
    try:
        body = await plan_form.make_body(client, form, form_data, await load_zone(client))
        plan = await client.send("POST", PLANS_PATH, body)
    except Problem as problem:
        if problem.status not in FORM_STATUSES:
            raise
        await client.undo(problem)
        return await _render_list(client, form, form.refill(form_data), problem)
    return responses.redirect_with_flash(exchange, plan_url(plan["id"]))


async def _load_rows(client: ApiClient, query: Mapping[str, str]) -> ListPage:
    return await client.list_rows(
        PLANS_PATH, {"limit": PAGE_SIZE, "cursor": query.get("cursor") or None}
    )


@get("/plan/export")
async def export_plans(exchange: Exchange) -> StreamedResponse:
    """Download the list of plans."""
    return await list_exports.export_list(ApiClient(exchange), "plans", (), _load_rows)


async def _render_list(
    client: ApiClient, form: Form, values: Mapping[str, str], problem: Problem | None = None
) -> Response[bytes]:
    query = read_query(client.exchange) if problem is None else {}
    page = await _load_rows(client, query)
    return await responses.render_page(
        client, "plan/plans.html", title="Route planning", home=HOME, rows=page.rows,
        cursor=page.cursor, filter_values=query, form=form, filled=values,
        aims=plan_form.AIM_LABELS,
        fields={field.name: field for field in form.fields}, more=plan_form.MORE_FIELDS,
        refusal=_to_errors(problem, form), status=problem.status if problem else 200, url=HOME,
    )  # fmt: skip


def _to_errors(problem: Problem | None, form: Form) -> FormErrors:
    """Assign the problem's errors to the form's fields. Join errors without a field."""
    if problem is None:
        return FormErrors()
    names = {field.name for field in form.fields}
    sentences = [
        error.message for error in problem.fields if error.path.partition("[")[0] not in names
    ]
    if sentences:
        return FormErrors(" ".join(sentences))
    errors = {error.path.partition("[")[0]: error.message for error in problem.fields}
    return FormErrors("" if errors else problem.detail, errors)


@get("/plan/{identifier:str}")
async def show_plan(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show a plan: its progress, or its routes beside the current assignment."""
    return await render_plan(ApiClient(exchange), identifier)


async def render_plan(
    client: ApiClient,
    identifier: str,
    *,
    conflict: Conflict | None = None,
    refused_action: str = "",
) -> Response[bytes]:
    """Render a plan's page, with the conflict that prevents accepting or undoing it."""
    plan = await plan_view.load_plan(client, identifier)
    zone = await load_zone(client)
    query = plan_view.PlanQuery.parse(read_query(client.exchange))
    context = await plan_view.load_context(client, plan, query)
    return await responses.render_page(
        client, "plan/plan.html", title=format_day(plan["day"]), url=plan_url(identifier),
        aims=plan_form.AIM_LABELS, outside=OUTSIDE_REASONS,
        today=client.exchange.db.now.astimezone(zone).date().isoformat(),
        conflict=plan_view.describe_conflict(plan, conflict), refused_action=refused_action,
        status=conflict.status if conflict else 200, **context,
    )  # fmt: skip


@get("/plan/{identifier:str}/map")
async def show_plan_map(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Render the plan's map features, with lines along streets from the routing engine."""
    client = ApiClient(exchange)
    plan = await plan_view.load_plan(client, identifier)
    try:
        streets = await plan_view.load_streets(client, identifier)
    except Problem as problem:
        await client.undo(problem)
        streets = {}
    query = plan_view.PlanQuery.parse(read_query(exchange))
    view = await plan_view.PlanView.load(client, plan, query)
    features = plan_map.make_features(view.lanes, "/console/orders", streets)
    return await responses.render_page(client, "plan/map.html", title="Map", features=features)


@post("/plan/{identifier:str}/cancel", status_code=200)
async def cancel_plan(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Cancel a plan whose search is queued or running."""
    await ApiClient(exchange).send("POST", f"{PLAN_PATH}/cancel", plan_id=identifier)
    return responses.redirect_with_flash(exchange, plan_url(identifier), message="Plan canceled.")


@post("/plan/{identifier:str}/again", status_code=200)
async def repeat_plan(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Request the same plan with the current orders. Locked orders keep their drivers."""
    client = ApiClient(exchange)
    request = plan_form.make_repeated_request(await client.get(PLAN_PATH, plan_id=identifier))
    try:
        new_plan = await _request_open_orders(client, request)
    except Problem as problem:
        await client.undo(problem)
        error = _to_errors(problem, Form(())).sentence
        return responses.redirect_with_flash(exchange, plan_url(identifier), error=error)
    return responses.redirect_with_flash(exchange, plan_url(new_plan["id"]))


async def _request_open_orders(client: ApiClient, request: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Request a plan. Orders that have ended since are left out of the request."""
    # The API may refuse several lists in turn. Each attempt leaves out at least one order.
    while True:
        try:
            return await client.send("POST", PLANS_PATH, request)
        except Problem as problem:
            open_request = plan_form.remove_ended_orders(request, problem.fields)
            if open_request is None:
                raise
            if open_request.get("orders") == []:
                raise Invalid(ALL_ENDED_MESSAGE) from None
            await client.start_over(problem)
            request = open_request


handlers: Final = [
    list_plans,
    request_plan,
    export_plans,
    show_plan,
    show_plan_map,
    cancel_plan,
    repeat_plan,
]
