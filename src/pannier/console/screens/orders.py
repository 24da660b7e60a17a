"""Orders as a board, table, map or planner, and actions on many of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import (
    assets,
    confirmation,
    error_pages,
    fields,
    lookup,
    maps,
    order_filters,
    order_takeovers,
    order_view,
    order_views,
    planner,
    responses,
    session,
)
from pannier.console.api_client import ApiClient
from pannier.console.formatting import record_name
from pannier.console.label_forms import LABEL_FORMS
from pannier.console.order_messages import describe_problem, load_warnings
from pannier.console.records import PAGE_SIZE, load_zone
from pannier.console.session import FormData
from pannier.console.undo import UndoStep, encode_step
from pannier.errors import Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

HOME: Final = "/console/orders"
LAYOUTS: Final = (
    ("board", "Board", "square-kanban"),
    ("table", "Table", "table"),
    ("map", "Map", "map"),
    ("planner", "Planner", "calendar-clock"),
)
# Limits for each column, to keep pages small.
MAX_CARDS: Final = 8
MAX_PINS: Final = 12
# The icons of cards, included once in the page.
CARD_ICONS: Final = (
    "circle-dot", "map-pin", "ellipsis", "alarm-clock", "triangle-alert", "scan-line", "signature",
    "camera", "message-square", "circle-dashed", "send", "play", "truck", "circle-check",
    "circle-x", "circle-alert", "pause", "undo-2", "wallet", "user", "banknote",
)  # fmt: skip
PROOF_ICONS: Final = {
    "scan": ("scan-line", "a scan"),
    "signature": ("signature", "a signature"),
    "photo": ("camera", "a photo"),
    "sms": ("message-square", "an SMS code"),
}


class BoardColumn(NamedTuple):
    """A column of the board: the action for cards moved to it, and the filter of its orders."""

    label: str
    color: str
    verb: str
    all: Mapping[str, str]


BOARD_COLUMNS: Final[Mapping[str, BoardColumn]] = {
    "unassigned": BoardColumn(
        "Unassigned", "grey", "unassign", {"status": "created", "unassigned": "true"}
    ),
    "assigned": BoardColumn(
        "Assigned", "cyan", "assign", {"status": "created", "unassigned": "false"}
    ),
    "dispatched": BoardColumn("Dispatched", "blue", "dispatch", {"status": "dispatched"}),
    "in_progress": BoardColumn(
        "In progress", "violet", "start", {"started": "true", "active": "true"}
    ),
    "attention": BoardColumn("Needs attention", "amber", "", {"attention": "true"}),
    "completed": BoardColumn("Completed", "green", "complete", {"status": "completed"}),
}


class OrderAction(NamedTuple):
    """An action on orders, and its form fields."""

    label: str
    message: str
    method: str
    path: str
    fields: Sequence[str] = ()
    # The question that confirms an action that cannot be undone.
    question: str = ""


ORDER_ACTIONS: Final[Mapping[str, OrderAction]] = {
    "assign": OrderAction("Assign", "Assigned.", "POST", planner.ASSIGN_PATH, ("driver",)),
    "unassign": OrderAction("Unassign", "Unassigned.", "DELETE", planner.ASSIGN_PATH),
    "dispatch": OrderAction(
        "Dispatch", "Dispatched.", "POST", "/v1/orders/{order_id}/dispatch", ("driver",)
    ),
    "start": OrderAction("Start", "Started.", "POST", "/v1/orders/{order_id}/start"),
    "complete": OrderAction(
        "Complete",
        "Completed.",
        "POST",
        "/v1/orders/{order_id}/complete",
        question=order_view.CONFIRM_COMPLETE,
    ),
    "cancel": OrderAction(
        "Cancel orders",
        "Canceled.",
        "POST",
        "/v1/orders/{order_id}/cancel",
        ("reason",),
        question=order_view.CONFIRM_CANCEL,
    ),
}


@get("/orders")
async def show_orders(exchange: Exchange) -> Response[bytes]:
    """Show orders in the selected layout."""
    client, query = ApiClient(exchange), FormData(exchange.query)
    views = await order_views.load_views(client, exchange.query.decode())
    default_view = next((view for view in views if view["is_default"]), None)
    if default_view and default_view["query"] and not exchange.query:
        return responses.redirect_with_flash(exchange, f"{HOME}?{default_view['query']}")
    zone = await load_zone(client)
    layout = query.get("layout", "")
    layout = layout if layout in VIEWS else "board"
    error, context = "", {}
    try:
        query = await lookup.resolve_form(client, order_filters.FILTERS, query)
        filters = order_filters.parse_filters(query, zone)
        context = await VIEWS[layout](client, filters, query, zone)
    except Problem as problem:
        if problem.status not in {400, 404, 422}:
            raise
        error = describe_problem(problem)
    return await responses.render_page(
        client,
        f"orders/{layout}.html",
        title="Orders",
        home=HOME,
        layout=layout,
        layouts=LAYOUTS,
        views=views,
        first=order_filters.MAIN_FILTERS,
        more=order_filters.MORE_FILTERS,
        filter_values=order_filters.fill_filters(query, zone),
        shared_filters=_select_shared_filters(query),
        error=error,
        stages=BOARD_COLUMNS,
        verbs=ORDER_ACTIONS,
        signs=assets.render_sprite(*CARD_ICONS),
        proofs=PROOF_ICONS,
        driver_field=fields.DRIVER,
        number=record_name,
        ends=list_places,
        moves_of=order_view.list_menu_actions,
        sprite_icons=CARD_ICONS,
        may=client.is_allowed("POST", planner.ASSIGN_PATH),
        **context,
    )


def _select_shared_filters(query: FormData) -> dict[str, str]:
    """Return the filters that all layouts share."""
    return {name: value for name, value in query.items() if name not in {"cursor", "layout"}}


async def _load_board(
    client: ApiClient, filters: dict[str, Any], _: FormData, __: ZoneInfo
) -> dict[str, Any]:
    board = await client.get("/int/v1/orders/board", {**filters, "limit": str(MAX_CARDS)})
    return {"columns": board["columns"]}


async def _load_table(
    client: ApiClient, filters: dict[str, Any], query: FormData, _: ZoneInfo
) -> dict[str, Any]:
    paging = {name: query[name] for name in ("cursor", "sort") if query.get(name)}
    page = await client.list_rows("/v1/orders", {"limit": str(PAGE_SIZE), **filters, **paging})
    return {
        "rows": page.rows,
        "cursor": page.cursor,
        "sort": query.get("sort", "-created_at"),
        "label_forms": LABEL_FORMS,
    }


async def _load_map(
    client: ApiClient, filters: dict[str, Any], _: FormData, __: ZoneInfo
) -> dict[str, Any]:
    board = await client.get("/int/v1/orders/board", {**filters, "limit": str(MAX_PINS)})
    open_columns = [column for column in board["columns"] if column["stage"] != "completed"]
    rows = [(column["stage"], card) for column in open_columns for card in column["cards"]]
    drivers = (await client.list_rows("/v1/drivers", {"online": "true", "limit": "100"})).rows
    features = [feature for stage, card in rows for feature in _make_order_features(stage, card)]
    features += [_make_driver_feature(driver) for driver in drivers if driver["location"]]
    return {
        "rows": rows,
        "features": maps.collection(features),
        "beyond": any(column["more"] for column in open_columns),
    }


def list_places(order: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """List the places of an order: its stops, or its pickup and drop-off."""
    payload = order["payload"]
    stops = [stop["place"] for stop in payload["waypoints"]]
    return stops or [place for place in (payload["pickup"], payload["dropoff"]) if place]


def _make_order_features(stage: str, card: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """Convert an order to map features: a line between its places, and the last place."""
    order, places = card["order"], list_places(card["order"])
    points = [place["location"] for place in places if place["location"]]
    if not points:
        return []
    label, color, href = record_name(order), BOARD_COLUMNS[stage].color, f"{HOME}/{order['id']}"
    positions = [point["coordinates"] for point in points]
    return [
        maps.line(f"{order['id']}-way", label, positions, color, href=href),
        maps.point(order["id"], label, points[-1], color, href=href),
    ]


def _make_driver_feature(driver: Any) -> Any:  # noqa: ANN401 - JSON
    return maps.point(
        driver["id"], driver["name"], driver["location"], "green", heading=driver["heading"],
        href=f"/console/drivers/{driver['id']}",
    )  # fmt: skip


VIEWS: Final = {
    "board": _load_board,
    "table": _load_table,
    "map": _load_map,
    "planner": planner.load_day,
}


@post("/orders/{identifier:str}/do", status_code=200)
async def run_action(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Run an action on an order, from a board column or the card's menu."""
    client = ApiClient(exchange)
    form_data = await lookup.resolve_form(client, [fields.DRIVER], session.read_form(exchange))
    name = form_data.get("verb", "")
    before = await client.get(planner.ORDER_PATH, order_id=identifier)
    if name == "plan":
        after = await planner.plan_order(client, before, form_data)
        message = "Scheduled." if after["scheduled_at"] else "Schedule removed."
    else:
        action = _find_action(name)
        if action.question:
            confirmation.require_confirmation(exchange, action.question, action.label)
        body = _make_body(action, form_data)
        version = form_data.get("version") or None
        after = await client.send(
            action.method, action.path, body, version=version, order_id=identifier
        )
        message = action.message
    message = f"{message} {await load_warnings(client, name, identifier)}".strip()
    url = error_pages.get_previous_page_url(exchange)
    undo = UndoStep.from_change(before, after)
    return responses.redirect_with_flash(exchange, url, message=message, undo=undo)


def _find_action(name: str) -> OrderAction:
    if name not in ORDER_ACTIONS:  # the card was moved to the attention column
        raise Invalid(
            "Orders appear under Needs attention when they are late or have an open issue."
        )
    return ORDER_ACTIONS[name]


def _make_body(action: OrderAction, form_data: FormData) -> dict[str, str] | None:
    """Build the request body from the fields of the action."""
    body = {name: form_data[name] for name in action.fields if form_data.get(name)}
    if action is ORDER_ACTIONS["assign"] and not body:
        raise Invalid("Select a driver.")
    return body if action.method == "POST" else None


@post("/orders/bulk", status_code=200)
async def run_bulk_action(exchange: Exchange) -> Response[bytes]:
    """Run an action on each selected order independently, and show the results."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    back_url = error_pages.get_previous_page_url(exchange)
    order_ids = sorted(set(form_data.get_all("order")))
    if not order_ids:
        message = "Select at least one order. Press X to select a row."
        return responses.redirect_with_flash(exchange, back_url, error=message)
    if len(order_ids) > PAGE_SIZE:
        message = f"{len(order_ids)} orders selected. You can change up to {PAGE_SIZE} at a time."
        return responses.redirect_with_flash(exchange, back_url, error=message)
    action = _find_action(form_data.get("verb", ""))
    if action.question:
        count_text = f"{len(order_ids)} orders selected. " if len(order_ids) > 1 else ""
        confirmation.require_confirmation(exchange, count_text + action.question, action.label)
    form_data = await lookup.resolve_form(client, [fields.DRIVER], form_data)
    body = _make_body(action, form_data)
    previous_orders = await _load_orders(client, order_ids)
    await order_takeovers.confirm_takeovers(client, previous_orders.values(), action.label, body)
    # Orders are changed in a fixed sequence, so that two requests cannot deadlock.
    problems_by_order = {
        order: await client.try_send(action.method, action.path, body, order_id=order)
        for order in order_ids
    }
    orders_by_id = await _load_orders(client, order_ids)
    results = [
        (
            order,
            orders_by_id.get(order),
            describe_problem(problem) if problem else "",
            "" if problem else await load_warnings(client, form_data.get("verb", ""), order),
        )
        for order, problem in problems_by_order.items()
    ]
    results.sort(key=lambda result: not result[2])
    done_count = sum(not result[2] for result in results)
    return await responses.render_page(
        client,
        "orders/done.html",
        title=f"{action.label}: {done_count} of {len(results)} done",
        home=HOME,
        results=results,
        done=done_count,
        result_message=action.message,
        back=back_url,
        url=back_url,
        number=record_name,
        previous_drivers=order_takeovers.list_previous_drivers(previous_orders, orders_by_id),
        undo_steps=_list_undo_steps(previous_orders, orders_by_id),
    )


async def _load_orders(client: ApiClient, order_ids: Sequence[str]) -> dict[str, Any]:
    page = await client.list_rows("/v1/orders", {"id": order_ids, "limit": str(PAGE_SIZE)})
    return {order["id"]: order for order in page.rows}


def _list_undo_steps(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """List the steps that undo changes of many orders, as the form sends them."""
    steps = (UndoStep.from_change(before[order], after[order]) for order in before.keys() & after)
    return sorted(encode_step(step) for step in steps if step is not None)


handlers: Final = [show_orders, run_action, run_bulk_action]
