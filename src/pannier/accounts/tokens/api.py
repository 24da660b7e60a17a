"""The doors of tokens: people look at their own sign-ins and end them, operators anybody's."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol
from uuid import UUID

from pannier.accounts.audit import record
from pannier.accounts.auth import Caller
from pannier.accounts.tokens import queries, service
from pannier.accounts.tokens.models import Holder
from pannier.accounts.tokens.schemas import Ended, SessionFilters, SessionOut
from pannier.db import Db
from pannier.web.lists import Listed, enveloped
from pannier.web.routes import delete, get, post

# Reads whom a path names.
Find = Callable[..., Awaitable[Holder]]
# Where operators have their own.
OWN: Final = "/sessions"


class SignedIn(Protocol):
    """Whoever came in with a token."""

    @property
    def holder(self) -> Holder:
        """Whom the token speaks for."""

    @property
    def token(self) -> UUID:
        """The token itself."""


def own(noun: str) -> Sequence[Any]:
    """Make the doors through which people manage their own sign-ins, beside their other ones."""

    @get(f"/{noun}s/sessions", operation_id=f"list_{noun}_sessions")
    async def list_sessions(caller: SignedIn, db: Db) -> list[SessionOut]:
        """List one's sign-ins, the newest first."""
        rows = await queries.alive(db, caller.holder)
        return [SessionOut.of(row, caller.token) for row in rows]

    @delete(
        f"/{noun}s/sessions/{{session_id:str}}",
        status_code=200,
        operation_id=f"end_{noun}_session",
    )
    async def end_session(caller: SignedIn, session_id: str, db: Db) -> Ended:
        """End one of one's sign-ins; the very next request with it is refused."""
        await service.revoke(db, caller.holder, session_id, by=noun)
        return Ended()

    @post(f"/{noun}s/logout", status_code=200, operation_id=f"log_{noun}_out")
    async def log_out(caller: SignedIn, db: Db) -> Ended:
        """End the sign-in that the request came with."""
        await service.revoke(db, caller.holder, caller.token, by="logout")
        return Ended()

    @post(f"/{noun}s/logout-all", status_code=200, operation_id=f"log_{noun}_out_everywhere")
    async def log_out_everywhere(caller: SignedIn, db: Db) -> Ended:
        """End every sign-in, this one too; no device is known any more."""
        await service.revoke_all(db, caller.holder, by="logout")
        return Ended()

    return list_sessions, end_session, log_out, log_out_everywhere


def overseen(noun: str, find: Find, path: str | None = None) -> Sequence[Any]:
    """Make the doors through which operators manage somebody's sign-ins; all is audited."""
    path = path or f"/{noun}s/{{{noun}_id:str}}/tokens"
    named = "own" if path == OWN else noun

    @get(path, operation_id=f"list_{named}_tokens")
    async def list_tokens(
        caller: Caller, filters: SessionFilters, db: Db, **whose: str
    ) -> Listed[SessionOut]:
        """List the sign-ins that are alive, or those that have ended; the newest first."""
        found = await queries.tokens(db, await find(db, caller, **whose), filters)
        return enveloped(found, lambda row: SessionOut.of(row, caller.token))

    @delete(f"{path}/{{token_id:str}}", status_code=200, operation_id=f"revoke_{named}_token")
    async def revoke_token(caller: Caller, token_id: str, db: Db, **whose: str) -> Ended:
        """End one sign-in; the very next request with it is refused."""
        holder = await find(db, caller, **whose)
        await service.revoke(db, holder, token_id, by=caller.public_id)
        subject = holder.public_id
        record(db, caller.company, f"{noun}.token_revoked", subject, token=token_id)
        return Ended()

    @delete(path, status_code=200, operation_id=f"revoke_{named}_tokens")
    async def revoke_tokens(caller: Caller, db: Db, **whose: str) -> Ended:
        """End every sign-in."""
        holder = await find(db, caller, **whose)
        ended = await service.revoke_all(db, holder, by=caller.public_id)
        record(db, caller.company, f"{noun}.tokens_revoked", holder.public_id, count=ended)
        return Ended()

    return list_tokens, revoke_token, revoke_tokens
