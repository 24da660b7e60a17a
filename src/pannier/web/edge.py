"""The outermost layer: what happens to every request before and after the handlers.

A request gets its id, passes the limits, runs in one transaction, and is answered only after that
transaction has been committed. When the database refuses it for a passing reason, it runs again:
nothing of the first run has left the house.
"""

import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.types import Receive, Scope, Send

from pannier.db import Database, Db
from pannier.db.actor import STRANGER
from pannier.db.pool import OutcomeUnknown, Retries, worth_another_try
from pannier.errors import Malformed, NotFound, Problem, TooManyRequests
from pannier.settings import Settings
from pannier.web import addresses, cors, idempotency, logs, metrics, problems
from pannier.web.exchange import ClientLeftError, Exchange, current
from pannier.web.idempotency import Answered, PresentReplay, replay_unchanged
from pannier.web.limits import Limiter, Rate
from pannier.web.reply import Reply
from pannier.web.routes import Doors
from pannier.web.shortcuts import HEADERS, Shortcut, Shortcuts
from pannier.web.spelling import encode

HTTP: Final = ScopeType.HTTP
CLIENT_LEFT: Final = 499  # what the log says of a request whose answer nobody waits for


class BrokenOffError(Exception):
    """An answer could not be sent to its end."""


class Edge:
    """Wraps the application."""

    def __init__(
        self,
        app: Litestar,
        *,
        database: Database,
        settings: Settings,
        limiter: Limiter,
        services: Mapping[str, object],
        uploads: Sequence[re.Pattern[str]] = (),
        long_kept: Sequence[re.Pattern[str]] = (),
        shortcuts: Shortcuts | None = None,
        intakes: Sequence[re.Pattern[str]] = (),
        present_replay: PresentReplay = replay_unchanged,
    ) -> None:
        self.app: Litestar = app
        self.settings: Settings = settings
        self.database, self.limiter = database, limiter
        self._doors = Doors(app)
        self.services: Mapping[str, Any] = services
        self.uploads = uploads
        # Paths whose keyed answers are kept longer: their callers may be away for weeks.
        self.long_kept = long_kept
        self.shortcuts = shortcuts or Shortcuts()
        # Paths to which machines send much and often. They are limited by their credential: whole
        # fleets come from one address.
        self.intakes = intakes
        self.present_replay = present_replay
        self.proxies = addresses.proxies(settings.trusted_proxies)
        self.origins = cors.origins(settings.storefront_origins)
        self.address_rate = Rate(settings.address_rate, 60.0)
        self.credential_rate = Rate(settings.credential_rate, 60.0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != HTTP:
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        exchange = Exchange(scope, receive, self)
        reply = Reply(self, exchange, scope, send)
        try:
            await self._answer(exchange, scope, reply)
        except ClientLeftError:
            reply.status = CLIENT_LEFT
        finally:
            self._record(exchange, reply.status, time.perf_counter() - began)

    async def _answer(self, exchange: Exchange, scope: Scope, reply: Reply) -> None:
        shortcut = self.shortcuts.find(exchange)
        if shortcut is not None:
            await self._serve(shortcut, exchange, scope, reply)
            return
        try:
            self._admit(exchange, scope)
        except Problem as problem:
            reply.refuse(problem)
        else:
            if not cors.preflight(exchange, reply):
                await self._run(exchange, scope, reply)
        if not reply.streaming:
            await reply.send()

    async def _serve(
        self, shortcut: Shortcut, exchange: Exchange, scope: Scope, reply: Reply
    ) -> None:
        """Answer a request that has a shortcut; what serves it finds out who calls too often."""
        current.set(exchange)
        addresses.resolve(exchange, scope, self.proxies)
        try:
            reply.body = encode(await shortcut.serve(exchange, shortcut.credential))
        except ClientLeftError:
            raise
        except Exception as failure:  # noqa: BLE001 - whatever it is, the caller gets a problem
            reply.refuse(problems.told(exchange, failure))
        else:
            reply.status, reply.headers = 200, HEADERS
        await reply.send()

    def _admit(self, exchange: Exchange, scope: Scope) -> None:
        """Find out who calls, and turn away who calls too often."""
        addresses.resolve(exchange, scope, self.proxies)
        if not self.is_intake(exchange):
            self.count_address(exchange)
        if "\0" in exchange.path:
            raise NotFound
        host = exchange.headers.get(b"host")
        if host is not None and not addresses.HOST.fullmatch(host):
            raise Malformed("The Host header is not a name or an address.")

    def is_intake(self, exchange: Exchange) -> bool:
        """Tell whether this is one of many requests with much in them."""
        return exchange.method == "POST" and any(
            pattern.match(exchange.path) for pattern in self.intakes
        )

    def count_address(self, exchange: Exchange) -> None:
        """Count a request against the address it comes from."""
        self.limit(
            f"address:{addresses.neighbourhood(exchange.address)}", self.address_rate, exchange
        )

    def limit(self, who: str, rate: Rate, exchange: Exchange) -> None:
        """Count a request against a limit; refuse it when there are too many."""
        wait = self.limiter.hit(who, rate, exchange.moment)
        if wait:
            raise TooManyRequests(wait)

    async def _run(self, exchange: Exchange, scope: Scope, reply: Reply) -> None:
        """Run the handlers, again when the database asks for it, and end the transaction."""
        current.set(exchange)
        retries = Retries()
        while True:
            exchange.failure, exchange.pending, exchange.replay = None, None, None
            exchange.changed, exchange.ignored = False, []
            reply.body = b""
            ran = await self._ran(exchange, scope, reply)
            if isinstance(exchange.failure, ClientLeftError):
                raise exchange.failure
            if ran or (pause := retries.next_pause()) is None:
                return
            await asyncio.sleep(pause)
            exchange.db = Db(self.database, writes=exchange.db.writes, actor=STRANGER)

    async def _ran(self, exchange: Exchange, scope: Scope, reply: Reply) -> bool:
        """Run the handlers once; False when the same request may and should run again."""
        try:
            await self._doors.serve(exchange, scope, reply)
            if worth_another_try(exchange.failure):
                return False
            if exchange.ignored:
                reply.tell_ignored()
            if exchange.replay is not None:
                reply.repeat(exchange.replay)
            if not reply.streaming:
                await self.conclude(reply)
        except Exception as raised:  # noqa: BLE001 - whatever it is, the caller gets a problem
            return self._failed(reply, raised)
        finally:
            if not exchange.db.idle:
                await self.database.undo(exchange.db, None)
        return True

    def _failed(self, reply: Reply, failure: Exception) -> bool:
        """Answer what was raised while sending or saving; False when it should run again."""
        if reply.streaming:
            # Half an answer has left; only a broken connection can tell that it is half.
            raise BrokenOffError("Something was raised after response started.") from failure
        keyed = reply.exchange.pending is not None
        if isinstance(failure, OutcomeUnknown):
            failure = OutcomeUnknown(keyed=keyed)
            # With an idempotency key a second run finds out what became of the first.
            again = keyed
        else:
            again = worth_another_try(failure)
        reply.refuse(problems.told(reply.exchange, failure))
        return not again

    async def conclude(self, reply: Reply) -> None:
        """End the transaction as the answer demands; only then may a byte leave."""
        exchange, db = reply.exchange, reply.exchange.db
        failure, pending = exchange.failure, exchange.pending
        if pending is None and failure is None:
            await self.database.commit(db)
        elif pending is None or not idempotency.concerns(failure, reply.status):
            await self.database.undo(db, failure)
        else:
            answer = Answered(reply.status, reply.headers, reply.body)
            await idempotency.conclude(db, pending, answer, failure)
            await self.database.commit(db)

    @asynccontextmanager
    async def outside(self, exchange: Exchange) -> AsyncIterator[str]:
        """Let a handler wait for somebody else's machine with no transaction of its own open.

        Where everybody waits for a slow machine, everybody would hold a connection. So a keyed
        request gives its key back meanwhile and claims it again before its answer is kept: of two
        at once both ask, and the second to return hears what the first was told. That they are
        one operation, the outside learns from the id that is handed out: it is the same for every
        request with the same key, and fresh without one.

        A request that is made of several calls asks outside before the first of them has changed
        something: that would be undone here, and nobody would notice.
        """
        if exchange.changed:
            raise RuntimeError("Something was changed before the outside was asked.")
        pending, exchange.pending = exchange.pending, None
        await self.database.undo(exchange.db, None)
        try:
            yield secrets.token_hex(16) if pending is None else pending.id.hex()
        finally:
            if pending is not None:
                await idempotency.claim(exchange, pending)

    def _record(self, exchange: Exchange, status: int, seconds: float) -> None:
        metrics.observe(exchange.method, exchange.route, status, seconds)
        logs.access(
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
