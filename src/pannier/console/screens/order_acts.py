"""Actions on an order that are not in its menu, one step each."""

from typing import Final

from litestar import Response

from pannier.console import confirm, door, journeys, render
from pannier.console.desk import Desk
from pannier.console.statuses import plain
from pannier.web.exchange import Exchange
from pannier.web.routes import post

ONE: Final = "/v1/orders/{order_id}"


def led(exchange: Exchange, identifier: str, said: str) -> Response[bytes]:
    """Redirect to the order's page, and show a message there."""
    return render.led(exchange, f"/console/orders/{identifier}", said=said)


@post("/orders/{identifier:str}/activity", status_code=200)
async def order_activity(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Start the next activity. One that completes something needs a confirmation."""
    desk, sent = Desk(exchange), door.sent(exchange)
    body = {"activity": sent.get("activity", ""), "waypoint": sent.get("waypoint") or None}
    coming = await desk.get(f"{ONE}/next-activity", order_id=identifier)
    if any(one["code"] == body["activity"] and one["complete"] for one in coming):
        confirm.require(exchange, journeys.COMPLETING, "Complete")
    done = await desk.act(
        "POST", f"{ONE}/update-activity", body, version=sent.get("version"), order_id=identifier
    )
    return led(exchange, identifier, f"Status: {plain(done['status'])}.")


@post("/orders/{identifier:str}/override-proof", status_code=200)
async def order_override(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Start an activity without its proofs, and record the reason."""
    desk, sent = Desk(exchange), door.sent(exchange)
    template, activity = "/int/v1/orders/{order_id}/override-proof", sent.get("activity", "")
    reason = {"activity": activity, "reason": sent.get("reason", "")}
    await desk.act("POST", template, reason, order_id=identifier)
    moved = {"activity": activity, "waypoint": sent.get("waypoint") or None}
    await desk.act("POST", f"{ONE}/update-activity", moved, order_id=identifier)
    return led(exchange, identifier, "Proof skipped. The reason is stored with the proofs.")


@post("/orders/{identifier:str}/destination", status_code=200)
async def order_destination(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Set the next stop."""
    stop = door.sent(exchange).get("stop", "")
    template = f"{ONE}/set-destination/{{stop_id}}"
    await Desk(exchange).act("POST", template, order_id=identifier, stop_id=stop)
    return led(exchange, identifier, "Next stop updated.")


@post("/orders/{identifier:str}/sms-code", status_code=200)
async def order_sms_code(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Send the recipient a code, or unlock its entry after too many wrong attempts."""
    desk, sent = Desk(exchange), door.sent(exchange)
    unlocks = sent.get("do") == "unlock"
    base = "/int/v1/orders/{order_id}/unlock-sms-code" if unlocks else f"{ONE}/send-sms-code"
    subject = sent.get("subject", "")
    named = {"order_id": identifier, **({"subject_id": subject} if subject else {})}
    done = await desk.act("POST", f"{base}/{{subject_id}}" if subject else base, **named)
    said = "Code entry unlocked." if unlocks else f"Code sent to {done['sent_to']}."
    return led(exchange, identifier, said)


@post("/orders/{identifier:str}/quote", status_code=200)
async def order_quote(exchange: Exchange, identifier: str) -> Response[bytes]:
    template = "/int/v1/orders/{order_id}/service-quotes"
    made = await Desk(exchange).act("POST", template, order_id=identifier)
    said = (
        f"Quotes: {len(made)}, cheapest first."
        if made
        else "No service rate applies to this order."
    )
    return led(exchange, identifier, said)


@post("/orders/{identifier:str}/accept-quote", status_code=200)
async def order_accept(exchange: Exchange, identifier: str) -> Response[bytes]:
    confirm.require(exchange, journeys.ACCEPTING, "Accept")
    quote = door.sent(exchange).get("quote", "")
    template = "/int/v1/service-quotes/{service_quote_id}/accept"
    await Desk(exchange).act("POST", template, {"order": identifier}, service_quote_id=quote)
    return led(exchange, identifier, "Quote accepted.")


handlers: Final = [
    order_activity,
    order_override,
    order_destination,
    order_sms_code,
    order_quote,
    order_accept,
]
