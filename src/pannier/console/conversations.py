"""Messages between dispatch and drivers, on the pages of drivers and orders."""

from typing import Any, Final, NamedTuple
from uuid import uuid4

from litestar import Response

from pannier.console import responses, session
from pannier.console.api_client import ApiClient
from pannier.errors import FieldError, Invalid
from pannier.web.exchange import Exchange

PATH: Final = "/v1/driver-messages"
PHOTO_PATH: Final = "/v1/driver-messages/with-photos"
READ_PATH: Final = "/v1/driver-messages/{driver_message_id}/read"
MAX_MESSAGES: Final = "30"


class Conversation(NamedTuple):
    """A thread, the oldest message first, and what a form needs that answers it."""

    messages: list[Any]
    # The driver's latest message that nobody in dispatch has read.
    latest_unread: str
    unread_count: int
    # Identifies the next message, so that a form that is sent twice sends it once.
    message_uuid: str
    can_write: bool


async def load_conversation(
    client: ApiClient, field: str, identifier: str, *, has_driver: bool = True
) -> Conversation:
    """Load the thread of a driver or of an order."""
    rows = (await client.list_rows(PATH, {field: identifier, "limit": MAX_MESSAGES})).rows
    unread = [row["id"] for row in rows if row["sender"] == "driver" and row["read_at"] is None]
    return Conversation(
        rows[::-1],
        unread[0] if unread else "",
        len(unread),
        str(uuid4()),
        has_driver and client.is_allowed("POST", PATH),
    )


async def answer_thread(
    exchange: Exchange, field: str, identifier: str, url: str
) -> Response[bytes]:
    """Send the message of a form, if there is one, and mark the driver's messages as read."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    client.require("POST", PATH)
    text, latest_unread = form_data.get("text", "").strip(), form_data.get("latest_unread", "")
    photo = form_data.uploads.get("photo")
    has_photo = photo is not None and bool(photo.data)
    body = {field: identifier, "text": text, "message_uuid": form_data.get("message_uuid")}
    if photo is not None and has_photo:
        await client.send_upload(PHOTO_PATH, photo, body)
    elif text:
        await client.send("POST", PATH, body)
    if latest_unread:
        thread = {"thread": "order" if field == "order" else "driver"}
        await client.send("POST", READ_PATH, thread, driver_message_id=latest_unread)
    if not (text or has_photo or latest_unread):
        raise Invalid(fields=[FieldError("text", "Enter a message, or choose a photo.")])
    message = "Message sent." if text or has_photo else "Marked as read."
    return responses.redirect_with_flash(exchange, f"{url}#conversation", message=message)
