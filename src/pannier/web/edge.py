"""The outermost ASGI layer: all processing of a request outside of its handler.

It assigns a request id, applies the limits, and runs the handler in one transaction. The response
is sent only after the commit. After a transient database error the request runs again, because
nothing of the first run was sent.
"""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send

from pannier.db import Database, Db
from pannier.db.actor import STRANGER
from pannier.db.database import OutcomeUnknown, RetrySchedule, should_retry
from pannier.errors import Malformed, NotFound, Problem
from pannier.settings import Settings
from pannier.web import addresses, cors, idempotency, logs, metrics, problems, request_turns
from pannier.web.buffered_response import BufferedResponse
from pannier.web.exchange import (
    AppContext,
    ClientDisconnectedError,
    Exchange,
    PresentReplay,
    current,
    replay_response_unchanged,
)
from pannier.web.idempotency import StoredResponse
from pannier.web.limits import Rate, RateLimiter
from pannier.web.routes import RequestRouter
from pannier.web.serialization import encode
from pannier.web.shortcuts import HEADERS, Shortcut, Shortcuts

HTTP: Final = ScopeType.HTTP
CLIENT_DISCONNECTED: Final = 499  # status in the log if the client disconnected before the response


class ResponseInterruptedError(Exception):
    """A response failed after a part of it was sent."""


class Edge(AppContext):
    """The ASGI application around Litestar."""

    def __init__(
        self,
        app: Litestar,
        *,
        database: Database,
        settings: Settings,
        limiter: RateLimiter,
        services: Mapping[str, object],
        uploads: Sequence[re.Pattern[str]] = (),
        long_retention_paths: Sequence[re.Pattern[str]] = (),
        reading_paths: Sequence[re.Pattern[str]] = (),
        shortcuts: Shortcuts | None = None,
        intakes: Sequence[re.Pattern[str]] = (),
        redact_replay: PresentReplay = replay_response_unchanged,
    ) -> None:
        self.app: Litestar = app
        self.settings: Settings = settings
        self.database, self.limiter = database, limiter
        self._router = RequestRouter(app)
        self.services: Mapping[str, Any] = services
        self.uploads = uploads
        self.long_retention_paths = long_retention_paths
        self.reading_paths = reading_paths
        self.shortcuts = shortcuts or Shortcuts()
        self.intakes = intakes
        self.redact_replay = redact_replay
        self.proxies = addresses.parse_proxies(settings.trusted_proxies)
        self.origins = cors.parse_origins(settings.storefront_origins)
        self.address_rate = Rate(settings.address_rate, 60.0)
        self.credential_rate = Rate(settings.credential_rate, 60.0)
        self.requests = request_turns.make_request_queue(settings.pool_size)
        self.large_bodies = request_turns.make_large_body_queue()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != HTTP:
            await self.app(scope, receive, send)
            return
        started_at = time.perf_counter()
        exchange = Exchange(scope, receive, self)
        reply = BufferedResponse(exchange, scope, send, self.end_transaction)
        try:
            await self._respond(exchange, scope, reply)
        except ClientDisconnectedError:
            reply.status = CLIENT_DISCONNECTED
        finally:
            self._record_request(exchange, reply.status, time.perf_counter() - started_at)

    async def _respond(self, exchange: Exchange, scope: Scope, reply: BufferedResponse) -> None:
        shortcut = self.shortcuts.find(exchange)
        if shortcut is not None:
            await self._serve_shortcut(shortcut, exchange, scope, reply)
            return
        try:
            self._admit(exchange, scope)
        except Problem as problem:
            reply.replace_with_problem(problem)
        else:
            headers = cors.make_preflight_headers(exchange)
            if headers is None:
                await self._run_with_retries(exchange, scope, reply)
            else:
                reply.status, reply.headers = 204, headers
        if not reply.streaming:
            await reply.send()

    async def _serve_shortcut(
        self, shortcut: Shortcut, exchange: Exchange, scope: Scope, reply: BufferedResponse
    ) -> None:
        """Handle a request with a shortcut. Its handler applies the rate limits itself."""
        current.set(exchange)
        exchange.address, exchange.secure = addresses.resolve_client_address(scope, self.proxies)
        try:
            reply.body = encode(await shortcut.serve(exchange, shortcut.credential))
        except ClientDisconnectedError:
            raise
        except Exception as failure:  # noqa: BLE001 - every exception becomes a problem
            reply.replace_with_problem(problems.to_problem(exchange, failure))
        else:
            reply.status, reply.headers = 200, HEADERS
        await reply.send()

    def _admit(self, exchange: Exchange, scope: Scope) -> None:
        """Find the client's address, apply its rate limit, and reject malformed requests."""
        exchange.address, exchange.secure = addresses.resolve_client_address(scope, self.proxies)
        if not self.is_intake(exchange):
            self.count_address_hit(exchange)
        if "\0" in exchange.path:
            raise NotFound
        host = exchange.headers.get(b"host")
        if host is not None and not addresses.HOST.fullmatch(host):
            raise Malformed("The Host header must be a host name or an address.")

    async def _run_with_retries(
        self, exchange: Exchange, scope: Scope, reply: BufferedResponse
    ) -> None:
        """Run the handler and end the transaction; retry after transient database errors."""
        current.set(exchange)
        retries = RetrySchedule()
        while True:
            exchange.failure, exchange.pending, exchange.replay = None, None, None
            exchange.changed, exchange.ignored, exchange.former_uses = False, [], []
            reply.body = b""
            is_done = await self._run_once(exchange, scope, reply)
            if isinstance(exchange.failure, ClientDisconnectedError):
                raise exchange.failure
            if is_done or (pause := retries.take_next_pause()) is None:
                return
            await asyncio.sleep(pause)
            exchange.db = Db(self.database, writes=exchange.db.writes, actor=STRANGER)

    async def _run_once(self, exchange: Exchange, scope: Scope, reply: BufferedResponse) -> bool:
        """Run the handler once; return False if the request should run again."""
        try:
            await self._router.serve(exchange, scope, reply)
            if should_retry(exchange.failure):
                return False
            if not reply.streaming:
                reply.add_request_headers()
            if exchange.replay is not None:
                reply.replay(exchange.replay)
            if not reply.streaming:
                await self.end_transaction(reply)
        except Exception as failure:  # noqa: BLE001 - every exception becomes a problem
            return self._handle_failure(reply, failure)
        finally:
            try:
                if not exchange.db.is_idle:
                    # A problem's changes were committed, unless that failed.
                    is_problem = isinstance(exchange.failure, Problem)
                    cause = None if is_problem else exchange.failure
                    await self.database.roll_back(exchange.db, cause)
            finally:
                await exchange.end_turn()
        return True

    def _handle_failure(self, reply: BufferedResponse, failure: Exception) -> bool:
        """Respond to a failed commit or send; return False if the request should run again."""
        if reply.streaming:
            # Only a broken connection shows the client that the rest of the response is missing.
            raise ResponseInterruptedError(
                "The response failed after a part of it was sent."
            ) from failure
        has_key = reply.exchange.pending is not None
        if isinstance(failure, OutcomeUnknown):
            failure = OutcomeUnknown(keyed=has_key)
            # With an idempotency key, a second run finds the outcome of the first one.
            should_run_again = has_key
        else:
            should_run_again = should_retry(failure)
        reply.replace_with_problem(problems.to_problem(reply.exchange, failure))
        return not should_run_again

    async def end_transaction(self, reply: BufferedResponse) -> None:
        """Commit or roll back, as the response requires. Call it before the first byte is sent."""
        exchange, db = reply.exchange, reply.exchange.db
        failure, pending_request = exchange.failure, exchange.pending
        if pending_request is None and failure is None:
            await self.database.commit(db)
        elif pending_request is None or not idempotency.should_commit(failure, reply.status):
            await self.database.roll_back(db, failure)
        else:
            response = StoredResponse(reply.status, reply.headers, reply.body)
            await idempotency.finish_request(db, pending_request, response, failure)
            await self.database.commit(db)

    def _record_request(self, exchange: Exchange, status: int, seconds: float) -> None:
        metrics.observe(exchange.method, exchange.route, status, seconds)
        logs.log_access(
            {
                "event": "request",
                "level": "info",
                "timestamp": exchange.db.now,
                "request_id": exchange.id,
                "method": exchange.method,
                "path": exchange.path,
                "status": status,
                "milliseconds": int(seconds * 100_000) / 100,
                "address": exchange.address,
            }
        )
