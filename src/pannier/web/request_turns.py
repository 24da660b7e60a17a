"""Turns of requests: no company occupies all database connections and most of the event loop.

Each company has half as many requests in progress as a process has connections; the others wait.
Only one of them at a time has a large body. It then rests, because parsing a large body delays all
other requests. Requests without a credential count by network, and those with a key that ships in
apps apart from the company's own. A request has no turn while it waits for another system or sends
a stream.
"""

from collections.abc import Hashable
from typing import Final
from uuid import UUID

from pannier.db.connection_pool import MAX_WAITERS_PER_CONNECTION, Overloaded
from pannier.errors import Unauthenticated
from pannier.web import addresses, bodies
from pannier.web.exchange import Exchange
from pannier.web.fair_queue import FairQueue, take_places

# How long a request waits while other requests of its company are in progress.
MAX_WAIT_SECONDS: Final = 10.0
MAX_WAITING_LARGE_BODIES: Final = 16
# How many times as long as its turn a company rests after a large body.
LARGE_BODY_REST: Final = 3.0


def make_request_queue(pool_size: int) -> FairQueue:
    """Make the queue for requests in progress."""
    return FairQueue(
        Overloaded,
        company_places=max(1, pool_size // 2),
        company_waiting=pool_size * MAX_WAITERS_PER_CONNECTION,
    )


def make_large_body_queue() -> FairQueue:
    """Make the queue for requests with large bodies."""
    return FairQueue(
        Overloaded,
        company_places=1,
        company_waiting=MAX_WAITING_LARGE_BODIES,
        rest=LARGE_BODY_REST,
    )


async def take_turn(exchange: Exchange) -> None:
    """Wait until few enough requests of the caller's company are in progress.

    A request that waits holds no connection, so its credential is checked again.
    """
    edge, company = exchange.edge, _get_turn_company(exchange)
    queues = [edge.large_bodies] if bodies.takes_turns(exchange) else []
    queues.append(edge.requests)
    must_wait = not all(queue.has_place(company) for queue in queues)
    if must_wait:
        await edge.database.roll_back(exchange.db, None)
    try:
        exchange.turn = await take_places(queues, company, MAX_WAIT_SECONDS if must_wait else None)
    except TimeoutError:
        raise Overloaded from None
    exchange.turn_company = company
    if must_wait:
        exchange.db.now = edge.database.clock.now()
        if exchange.can_continue and not await exchange.can_continue(exchange.db):
            raise Unauthenticated


def _get_turn_company(exchange: Exchange) -> Hashable:
    if exchange.caller is None:
        return addresses.get_rate_limit_network(exchange.address)
    company: UUID = exchange.caller.company
    return company if bodies.has_secret_credential(exchange) else (company, "public")
