"""Actions on an order's page: activities, proofs, stops, codes and quotes."""

from typing import Final

from litestar import Response

from pannier.console import confirmation, order_view, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.statuses import to_label
from pannier.web.exchange import Exchange
from pannier.web.routes import post

ORDER_PATH: Final = "/v1/orders/{order_id}"


def redirect_to_order(exchange: Exchange, identifier: str, message: str) -> Response[bytes]:
    """Redirect to the order's page, and show a message there."""
    return responses.redirect_with_flash(exchange, f"/console/orders/{identifier}", message=message)


@post("/orders/{identifier:str}/activity", status_code=200)
async def start_activity(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Start the next activity. A final activity needs a confirmation."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    body = {
        "activity": form_data.get("activity", ""),
        "waypoint": form_data.get("waypoint") or None,
    }
    next_activities = await client.get(f"{ORDER_PATH}/next-activity", order_id=identifier)
    if any(
        activity["code"] == body["activity"] and activity["complete"]
        for activity in next_activities
    ):
        confirmation.require_confirmation(exchange, order_view.CONFIRM_COMPLETE, "Complete")
    order = await client.send(
        "POST",
        f"{ORDER_PATH}/update-activity",
        body,
        version=form_data.get("version"),
        order_id=identifier,
    )
    return redirect_to_order(exchange, identifier, f"Status: {to_label(order['status'])}.")


@post("/orders/{identifier:str}/override-proof", status_code=200)
async def override_proofs(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Start an activity without its proofs, and record the reason."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    template, activity = "/int/v1/orders/{order_id}/override-proof", form_data.get("activity", "")
    override_data = {"activity": activity, "reason": form_data.get("reason", "")}
    await client.send("POST", template, override_data, order_id=identifier)
    activity_data = {"activity": activity, "waypoint": form_data.get("waypoint") or None}
    await client.send("POST", f"{ORDER_PATH}/update-activity", activity_data, order_id=identifier)
    return redirect_to_order(
        exchange, identifier, "Proof skipped. The reason is stored with the proofs."
    )


@post("/orders/{identifier:str}/duplicate", status_code=200)
async def duplicate_order(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Create an order like this one, and open its form."""
    client = ApiClient(exchange)
    order = await client.send("POST", f"{ORDER_PATH}/duplicate", {}, order_id=identifier)
    message = "Order duplicated. Check its times and details."
    return responses.redirect_with_flash(
        exchange, f"/console/orders/{order['id']}/edit", message=message
    )


@post("/orders/{identifier:str}/destination", status_code=200)
async def set_destination(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Set the next stop."""
    stop = session.read_form(exchange).get("stop", "")
    template = f"{ORDER_PATH}/set-destination/{{stop_id}}"
    await ApiClient(exchange).send("POST", template, order_id=identifier, stop_id=stop)
    return redirect_to_order(exchange, identifier, "Next stop updated.")


@post("/orders/{identifier:str}/sms-code", status_code=200)
async def send_or_unlock_sms_code(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Send the recipient a code, or unlock its entry after too many wrong attempts."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    is_unlock = form_data.get("do") == "unlock"
    template = (
        "/int/v1/orders/{order_id}/unlock-sms-code" if is_unlock else f"{ORDER_PATH}/send-sms-code"
    )
    subject = form_data.get("subject", "")
    path_params = {"order_id": identifier, **({"subject_id": subject} if subject else {})}
    response = await client.send(
        "POST", f"{template}/{{subject_id}}" if subject else template, **path_params
    )
    message = "Code entry unlocked." if is_unlock else f"Code sent to {response['sent_to']}."
    return redirect_to_order(exchange, identifier, message)


@post("/orders/{identifier:str}/quote", status_code=200)
async def request_quotes(exchange: Exchange, identifier: str) -> Response[bytes]:
    template = "/int/v1/orders/{order_id}/service-quotes"
    quotes = await ApiClient(exchange).send("POST", template, order_id=identifier)
    message = (
        f"Quotes: {len(quotes)}, cheapest first."
        if quotes
        else "No service rate applies to this order."
    )
    return redirect_to_order(exchange, identifier, message)


@post("/orders/{identifier:str}/accept-quote", status_code=200)
async def accept_quote(exchange: Exchange, identifier: str) -> Response[bytes]:
    confirmation.require_confirmation(exchange, order_view.CONFIRM_ACCEPT, "Accept")
    quote = session.read_form(exchange).get("quote", "")
    template = "/int/v1/service-quotes/{service_quote_id}/accept"
    await ApiClient(exchange).send("POST", template, {"order": identifier}, service_quote_id=quote)
    return redirect_to_order(exchange, identifier, "Quote accepted.")


handlers: Final = [
    duplicate_order,
    start_activity,
    override_proofs,
    set_destination,
    send_or_unlock_sms_code,
    request_quotes,
    accept_quote,
]
