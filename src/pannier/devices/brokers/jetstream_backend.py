"""The JetStream backend of the API: publishes events instead of writing them to the database.

It responds once JetStream has stored the events. It also waits a moment for the outcome, so that
senders usually get the same response as from the writer itself.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID, uuid4

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error
from nats.js.errors import APIError

from pannier.devices.brokers import jetstream
from pannier.devices.brokers.claimed_tasks import BrokerUnreachableError
from pannier.devices.brokers.errors import StreamUnavailable
from pannier.devices.brokers.jetstream import (
    MESSAGE_ID_HEADER,
    STREAM,
    EventParcel,
    NatsConnection,
    ParcelAnswer,
)
from pannier.devices.outcomes import IngestOutcome, Submission
from pannier.devices.readings import ItemRefusal, Reading
from pannier.devices.sources import Source
from pannier.devices.writer import COMPANY_SHARE_DIVISOR, MAX_WAITING_EVENTS, Busy
from pannier.errors import Unauthenticated
from pannier.settings import Settings

MAX_READINGS_PER_PARCEL: Final = 500
MAX_REFUSALS_PER_PARCEL: Final = 100  # each may have 4 KB of a rejected item
HEADROOM_BYTES: Final = 4096  # bytes of a message besides the parcel
ANSWER_SECONDS: Final = 2.0  # seconds to wait for the outcome from the worker
PUBLISH_SECONDS: Final = 3.0
STREAM_FULL_CODE: Final = 10077  # JetStream's error code for a full stream


def split_submission(submission: Submission, shards: int) -> Iterator[tuple[int, Submission]]:
    """Split a submission by shard, and into parts of limited size."""
    readings_by_shard: dict[int, list[tuple[int, Reading]]] = {}
    for index, reading in zip(submission.indexes, submission.readings, strict=True):
        shard = jetstream.choose_shard(submission.source, reading.device, shards)
        readings_by_shard.setdefault(shard, []).append((index, reading))
    for shard, shard_readings in readings_by_shard.items():
        for start in range(0, len(shard_readings), MAX_READINGS_PER_PARCEL):
            indexes, readings = zip(
                *shard_readings[start : start + MAX_READINGS_PER_PARCEL], strict=True
            )
            yield shard, Submission(submission.source, readings, (), indexes)
    for start in range(0, len(submission.refusals), MAX_REFUSALS_PER_PARCEL):
        refusals = submission.refusals[start : start + MAX_REFUSALS_PER_PARCEL]
        yield (
            jetstream.choose_shard(submission.source, None, shards),
            Submission(submission.source, (), refusals, ()),
        )


def encode_parcels(
    part: Submission, reply: str, max_bytes: int
) -> Iterator[tuple[Submission, bytes]]:
    """Encode a part of a submission, in halves if it does not fit into a message."""
    parcel = jetstream.encode(
        EventParcel(part.source, part.readings, part.refusals, part.indexes, reply)
    )
    if len(parcel) <= max_bytes or len(part.readings) <= 1:
        yield part, parcel
    else:
        for half in part.split():
            yield from encode_parcels(half, reply, max_bytes)


class JetStreamBackend:
    """A backend that publishes submissions to JetStream; one per process of the API."""

    def __init__(
        self,
        settings: Settings,
        *,
        max_waiting_events: int = MAX_WAITING_EVENTS,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._settings, self._answer_seconds = settings, answer_seconds
        self._max_waiting_events = max_waiting_events
        self.waiting_events = 0
        self._waiting_by_company = Counter[UUID]()  # waiting events per company
        self._connection = NatsConnection(settings, self._subscribe_to_answers)
        # The subject of replies, and the pending answers by message id.
        self._inbox = ""
        self._answers: dict[str, asyncio.Future[ParcelAnswer]] = {}

    async def put(
        self, source: Source, readings: Sequence[Reading], refusals: Sequence[ItemRefusal] = ()
    ) -> IngestOutcome:
        """Publish readings, and return their outcome. They are pending if no answer came."""
        company, weight = source.company, len(readings) + len(refusals)
        if self.waiting_events and self.waiting_events + weight > self._get_waiting_limit(
            company, weight
        ):
            raise Busy
        self.waiting_events += weight
        self._waiting_by_company[company] += weight
        try:
            return await self._publish_all(Submission(source, readings, refusals))
        finally:
            self.waiting_events -= weight
            self._waiting_by_company[company] -= weight
            if not self._waiting_by_company[company]:
                del self._waiting_by_company[company]

    def _get_waiting_limit(self, company: UUID, weight: int) -> int:
        """Return the limit of waiting events, which is higher for a company with few of them."""
        is_small = (
            self._waiting_by_company[company] + weight
            <= self._max_waiting_events // COMPANY_SHARE_DIVISOR
        )
        return 2 * self._max_waiting_events if is_small else self._max_waiting_events

    async def close(self) -> None:
        await self._connection.close()

    async def _publish_all(self, submission: Submission) -> IngestOutcome:
        client = await self._connect()
        max_bytes = client.max_payload - HEADROOM_BYTES
        tasks = [
            self._publish_and_wait(client, shard, part, parcel)
            for shard, shard_submission in split_submission(submission, self._settings.nats_shards)
            for part, parcel in encode_parcels(shard_submission, self._inbox, max_bytes)
        ]
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        return merge_outcomes(answers)

    async def _connect(self) -> Client:
        try:
            return await self._connection.open()
        except BrokerUnreachableError as error:
            raise StreamUnavailable from error

    async def _subscribe_to_answers(self, client: Client) -> None:
        self._inbox = client.new_inbox()
        await client.subscribe(f"{self._inbox}.*", cb=self._receive_answer)

    async def _receive_answer(self, message: Msg) -> None:
        future = self._answers.get(message.subject.rpartition(".")[2])
        if future is not None and not future.done():
            future.set_result(jetstream.decode_answer(message.data))

    async def _publish_and_wait(
        self, client: Client, shard: int, part: Submission, parcel: bytes
    ) -> IngestOutcome:
        """Publish a parcel, and wait a moment for its outcome."""
        message_id = uuid4().hex
        future = self._answers[message_id] = asyncio.get_running_loop().create_future()
        try:
            await self._publish_parcel(client, jetstream.make_subject(shard), parcel, message_id)
            await asyncio.wait([future], timeout=self._answer_seconds)
        finally:
            del self._answers[message_id]
        if not future.done():
            return IngestOutcome(0, 0, list(part.refusals), len(part.readings))
        parcel_answer = future.result()
        if parcel_answer.revoked:
            raise Unauthenticated(
                "The credential was revoked or has expired while this request was running."
            )
        return IngestOutcome(
            parcel_answer.accepted, parcel_answer.duplicates, parcel_answer.refusals
        )

    async def _publish_parcel(
        self, client: Client, subject: str, parcel: bytes, message_id: str
    ) -> None:
        """Publish a parcel, and repeat it once if the acknowledgement is lost.

        JetStream removes duplicates.
        """
        for is_last_attempt in (False, True):
            try:
                await client.jetstream().publish(
                    subject,
                    parcel,
                    timeout=PUBLISH_SECONDS,
                    stream=STREAM,
                    headers={MESSAGE_ID_HEADER: message_id},
                )
            except APIError as api_error:
                raise (
                    Busy if api_error.err_code == STREAM_FULL_CODE else StreamUnavailable
                ) from api_error
            except (Error, OSError, TimeoutError) as error:
                if is_last_attempt:
                    raise StreamUnavailable from error
                client = await self._connect()
            else:
                return


def merge_outcomes(outcomes: Sequence[IngestOutcome | BaseException]) -> IngestOutcome:
    """Merge the outcomes of all parts. If one failed, the whole request fails and is sent again."""
    merged_outcome = IngestOutcome(0, 0, [])
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        merged_outcome |= outcome
    merged_outcome.refusals.sort(key=lambda refusal: refusal.index)
    return merged_outcome
