"""Session handlers: people manage their own, operators manage those of others."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol
from uuid import UUID

from pannier.accounts.audit import record
from pannier.accounts.auth import Caller
from pannier.accounts.tokens import queries, service
from pannier.accounts.tokens.models import Holder
from pannier.accounts.tokens.schemas import SessionEnded, SessionFilters, SessionOut
from pannier.db import Db
from pannier.web.lists import Listed, to_envelope
from pannier.web.routes import delete, get, post

# Finds the holder that a path names.
FindHolder = Callable[..., Awaitable[Holder]]
# The path of operators' own sessions.
OWN_SESSIONS_PATH: Final = "/sessions"


class TokenCaller(Protocol):
    """A caller who has a token."""

    @property
    def holder(self) -> Holder:
        """The person or device that the token authenticates."""

    @property
    def token(self) -> UUID:
        """The token's UUID."""


def make_own_session_handlers(noun: str) -> Sequence[Any]:
    """Make the handlers with which people manage their own sessions."""

    @get(f"/{noun}s/sessions")
    async def list_sessions(caller: TokenCaller, db: Db) -> list[SessionOut]:
        """List your sessions, newest first."""
        rows = await queries.list_valid_tokens(db, caller.holder)
        return [SessionOut.from_row(row, caller.token) for row in rows]

    @delete(
        f"/{noun}s/sessions/{{session_id:str}}",
        status_code=200,
    )
    async def end_session(caller: TokenCaller, session_id: str, db: Db) -> SessionEnded:
        """End one of your sessions. The next request with it is refused."""
        await service.revoke_token(db, caller.holder, session_id, revoked_by=noun)
        return SessionEnded()

    @post(f"/{noun}s/logout", status_code=200)
    async def log_out(caller: TokenCaller, db: Db) -> SessionEnded:
        """End the session that the request uses."""
        await service.revoke_token(db, caller.holder, caller.token, revoked_by="logout")
        return SessionEnded()

    @post(f"/{noun}s/logout-all", status_code=200)
    async def log_out_everywhere(caller: TokenCaller, db: Db) -> SessionEnded:
        """End all your sessions, including this one. No device stays trusted."""
        await service.revoke_all_tokens(db, caller.holder, revoked_by="logout")
        return SessionEnded()

    return list_sessions, end_session, log_out, log_out_everywhere


def make_managed_session_handlers(
    noun: str, find_holder: FindHolder, path: str | None = None
) -> Sequence[Any]:
    """Make the handlers with which operators manage a holder's sessions; all are audited."""
    path = path or f"/{noun}s/{{{noun}_id:str}}/tokens"

    @get(path)
    async def list_tokens(
        caller: Caller, filters: SessionFilters, db: Db, **path_params: str
    ) -> Listed[SessionOut]:
        """List active or revoked tokens, newest first."""
        page = await queries.list_tokens(db, await find_holder(db, caller, **path_params), filters)
        return to_envelope(page, lambda row: SessionOut.from_row(row, caller.token))

    @delete(f"{path}/{{token_id:str}}", status_code=200)
    async def revoke_token(
        caller: Caller, token_id: str, db: Db, **path_params: str
    ) -> SessionEnded:
        """Revoke one token. The next request with it is rejected."""
        holder = await find_holder(db, caller, **path_params)
        await service.revoke_token(db, holder, token_id, revoked_by=caller.public_id)
        subject = holder.public_id
        record(db, caller.company, f"{noun}.token_revoked", subject, token=token_id)
        return SessionEnded()

    @delete(path, status_code=200)
    async def revoke_tokens(caller: Caller, db: Db, **path_params: str) -> SessionEnded:
        """Revoke all tokens."""
        holder = await find_holder(db, caller, **path_params)
        token_count = await service.revoke_all_tokens(db, holder, revoked_by=caller.public_id)
        record(db, caller.company, f"{noun}.tokens_revoked", holder.public_id, count=token_count)
        return SessionEnded()

    return list_tokens, revoke_token, revoke_tokens
