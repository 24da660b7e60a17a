"""Creating the orders of a batch one by one, each in its own transaction.

Each order is committed before the next one begins. So a bad order stops no other, other requests
get the connection in between, and a request that is cut off has created whole orders. Their keys
recognise them when the batch is sent again.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.db.actor import Actor
from pannier.db.database import OutcomeUnknown, RetrySchedule, should_retry
from pannier.errors import NotFound, Problem, Unavailable
from pannier.orders import measurement, service
from pannier.orders.batches import keys
from pannier.orders.batches.keys import OrderKey
from pannier.orders.batches.schemas import (
    CREATED,
    REPEATED,
    BatchOrderIn,
    BatchProblem,
    BatchResult,
    OrderBatchOut,
    RawBatch,
)
from pannier.orders.queries import ORDERS
from pannier.orders.quotes.debts import AcceptanceTerms
from pannier.orders.schemas import OrderIn, OrderOut
from pannier.orders.views import OrderAggregate
from pannier.payments import checkouts
from pannier.payments.gateway import Gateway
from pannier.routing.route import MeasuredRoute
from pannier.routing.router import Router
from pannier.web import bodies, former_names, problems
from pannier.web.exchange import Exchange
from pannier.web.fair_queue import FairQueue
from pannier.web.former_names import FormerUse
from pannier.web.logs import log

# Seconds after which no further order of a batch is begun.
MAX_SECONDS: Final = 20.0
# Seconds after which routes are no longer measured first. The worker measures them afterwards.
MAX_MEASURING_SECONDS: Final = 10.0
ORDER_DELETED: Final = "The order that was created with this key was deleted."


class BatchTimeExhausted(Unavailable):
    """The orders before this one took all the time of the batch. This one was not created."""

    code, title = "batch_time_exhausted", "The batch ran out of time before this order."
    remedy = "Send the order again, in a smaller batch."


async def create_orders(
    exchange: Exchange, company: UUID, data: RawBatch, gateway: Gateway, router: Router
) -> OrderBatchOut:
    """Create the orders of a batch, and return the result of each."""
    queue: FairQueue = exchange.edge.services["batches"]
    run = BatchRun(exchange, company, gateway, router)
    with queue.claim_place(company):
        async with exchange.edge.suspend_transaction(exchange):
            results = [
                await run.process(index, bytes(body)) for index, body in enumerate(data.orders)
            ]
    return OrderBatchOut.from_results(results)


class BatchRun:
    """The work on a batch: its caller, and the time that it has left."""

    def __init__(self, exchange: Exchange, company: UUID, gateway: Gateway, router: Router) -> None:
        self._exchange, self._company = exchange, company
        self._gateway, self._router = gateway, router
        self._database = exchange.edge.database
        self._actor: Actor = exchange.db.actor
        self._started_at = time.monotonic()

    async def process(self, index: int, body: bytes) -> BatchResult:
        """Create the order of a body, or find the reason against it."""
        key: OrderKey | None = None
        earlier_uses = len(self._exchange.former_uses)
        try:
            data = self._parse(index, body)
            key = keys.make_key(self._company, data, body)
            self._require_time()
            status, order = await self._create_with_retries(data, key)
        except Exception as failure:  # noqa: BLE001 - every exception becomes a problem
            problem = self._to_problem(failure, self._exchange.former_uses[earlier_uses:])
            return BatchResult(
                index=index,
                key=keys.read_key_text(body) if key is None else key.text,
                status=problem.status,
                problem=BatchProblem.from_problem(problem),
            )
        return BatchResult(index=index, key=key.text, status=status, order=order)

    def _require_time(self) -> None:
        if self._spent_seconds >= MAX_SECONDS:
            raise BatchTimeExhausted

    @property
    def _spent_seconds(self) -> float:
        return time.monotonic() - self._started_at

    def _parse(self, index: int, body: bytes) -> BatchOrderIn:
        ignored = self._exchange.ignored
        count = len(ignored)
        data: BatchOrderIn = bodies.parse(self._exchange, body, BatchOrderIn)
        ignored[count:] = [f"orders[{index}].{path}" for path in ignored[count:]]
        return data

    async def _create_with_retries(self, data: BatchOrderIn, key: OrderKey) -> tuple[int, OrderOut]:
        """Create an order; retry after a transient error. The key finds a commit that was lost."""
        order_in = msgspec.structs.replace(data, idempotency_key=None)
        retries = RetrySchedule()
        while True:
            try:
                return await self._create(order_in, key, await self._measure(order_in))
            except Exception as failure:
                is_retried = should_retry(failure) or isinstance(failure, OutcomeUnknown)
                if not is_retried or (pause := retries.take_next_pause()) is None:
                    raise
            await asyncio.sleep(pause)

    async def _measure(self, data: OrderIn) -> MeasuredRoute | None:
        if self._spent_seconds >= MAX_MEASURING_SECONDS:
            return None
        return await measurement.measure_order_of_batch(
            self._database, self._router, self._company, data, self._actor
        )

    async def _create(
        self, data: OrderIn, key: OrderKey, measured_route: MeasuredRoute | None
    ) -> tuple[int, OrderOut]:
        company = self._company
        async with self._database.transaction() as db:
            db.actor = self._actor
            order_id = await keys.claim_key(db, company, key)
            if order_id is not None:
                row = await ORDERS.find(db, company, order_id)
                if row is None:
                    raise NotFound(ORDER_DELETED)
                return REPEATED, (await OrderAggregate.load(db, row)).to_order_out()
            return_url = await checkouts.parse_return_url(db, company, data.return_url)
            terms = AcceptanceTerms(gateway=self._gateway, return_url=return_url, fetched=False)
            order = await service.create(db, company, data, terms, measured_route=measured_route)
            await keys.save_order(db, company, key, order.row.public_id)
            return CREATED, order.to_order_out()

    def _to_problem(self, failure: Exception, former_uses: Sequence[FormerUse]) -> Problem:
        problem = problems.from_exception(failure)
        former_names.restore_sent_names(problem, former_uses)
        if problem.status >= problems.FIRST_SERVER_ERROR_STATUS and problem is not failure:
            log.error("order of a batch failed", request_id=self._exchange.id, exc_info=failure)
        return problem
