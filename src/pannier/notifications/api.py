"""Handlers for messages."""

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.db import Db
from pannier.notifications import queries
from pannier.notifications.schemas import MessageFilters, MessageOut
from pannier.web.lists import Listed, to_envelope
from pannier.web.routes import get


@get("/messages")
async def list_messages(caller: Caller, filters: MessageFilters, db: Db) -> Listed[MessageOut]:
    """List messages, newest first, including those of channels without a provider."""
    return to_envelope(
        await queries.list_messages(db, caller.company, filters), MessageOut.from_row
    )


@get("/messages/{message_id:str}")
async def get_message(caller: Caller, message_id: str, db: Db) -> MessageOut:
    """Retrieve a message and its delivery state."""
    return MessageOut.from_row(await queries.get_message(db, caller.company, message_id))


routers = (api_routers.operator_router("Messages", "viewer", [list_messages, get_message]),)
