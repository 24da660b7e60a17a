"""Handlers for messages."""

from pannier.accounts import doors
from pannier.accounts.auth import Caller
from pannier.db import Db
from pannier.notifications import queries
from pannier.notifications.schemas import MessageFilters, MessageOut
from pannier.web.lists import Listed, enveloped
from pannier.web.routes import get


@get("/messages")
async def list_messages(caller: Caller, filters: MessageFilters, db: Db) -> Listed[MessageOut]:
    """List messages, newest first, including those of channels without a provider."""
    return enveloped(await queries.messages(db, caller.company, filters), MessageOut.of)


@get("/messages/{message_id:str}")
async def get_message(caller: Caller, message_id: str, db: Db) -> MessageOut:
    """Retrieve a message and its delivery state."""
    return MessageOut.of(await queries.message(db, caller.company, message_id))


routers = (doors.for_operators("Messages", "viewer", [list_messages, get_message]),)
