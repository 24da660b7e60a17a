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

from pannier.devices.outcomes import Outcome, Put
from pannier.devices.readings import Reading, Refusal
from pannier.devices.sources import Source
from pannier.devices.streams import jetstream
from pannier.devices.streams.jetstream import NAME, STREAM, Answer, Connection, Parcel
from pannier.devices.streams.refusals import StreamAway
from pannier.devices.streams.shares import AwayError
from pannier.devices.writer import A_SHARE, MOST_WAITING, Busy
from pannier.errors import Unauthenticated
from pannier.settings import Settings

MOST_READINGS: Final = 500  # per parcel
MOST_REFUSALS: Final = 100  # per parcel; each may have 4 KB of a rejected item
HEADROOM: Final = 4096  # bytes of a message besides the parcel
PATIENCE: Final = 2.0  # seconds to wait for the outcome from the worker
PUBLISH_SECONDS: Final = 3.0
STORE_FAILED: Final = 10077  # JetStream's error code for a full stream


def parts(put: Put, shards: int) -> Iterator[tuple[int, Put]]:
    """Split a submission by shard, and into parts of limited size."""
    spread: dict[int, list[tuple[int, Reading]]] = {}
    for place, reading in zip(put.places, put.readings, strict=True):
        shard = jetstream.shard_of(put.source, reading.device, shards)
        spread.setdefault(shard, []).append((place, reading))
    for shard, numbered in spread.items():
        for first in range(0, len(numbered), MOST_READINGS):
            stood, readings = zip(*numbered[first : first + MOST_READINGS], strict=True)
            yield shard, Put(put.source, readings, (), stood)
    for first in range(0, len(put.refusals), MOST_REFUSALS):
        some = put.refusals[first : first + MOST_REFUSALS]
        yield jetstream.shard_of(put.source, None, shards), Put(put.source, (), some, ())


def packed(put: Put, reply: str, most: int) -> Iterator[tuple[Put, bytes]]:
    """Encode a part, halved as often as needed to fit into messages."""
    parcel = jetstream.encode(Parcel(put.source, put.readings, put.refusals, put.places, reply))
    if len(parcel) <= most or len(put.readings) <= 1:
        yield put, parcel
    else:
        for half in put.halves():
            yield from packed(half, reply, most)


class Front:
    """A backend that publishes submissions to JetStream; one per process of the API."""

    def __init__(
        self, settings: Settings, *, most_waiting: int = MOST_WAITING, patience: float = PATIENCE
    ) -> None:
        self._settings, self._patience = settings, patience
        self._most_waiting = most_waiting
        self.waiting = 0
        self._of = Counter[UUID]()  # waiting events per company
        self._connection = Connection(settings, self._listen)
        # The subject of replies, and the futures of their recipients.
        self._inbox = ""
        self._answers: dict[str, asyncio.Future[Answer]] = {}

    async def put(
        self, source: Source, readings: Sequence[Reading], refusals: Sequence[Refusal] = ()
    ) -> Outcome:
        """Publish readings, and return their outcome as far as it is known in time."""
        company, weight = source.company, len(readings) + len(refusals)
        if self.waiting and self.waiting + weight > self._room(company, weight):
            raise Busy
        self.waiting += weight
        self._of[company] += weight
        try:
            return await self._put(Put(source, readings, refusals))
        finally:
            self.waiting -= weight
            self._of[company] -= weight
            if not self._of[company]:
                del self._of[company]

    def _room(self, company: UUID, weight: int) -> int:
        """Return the limit for a company: a higher one if few of its own events wait."""
        little = self._of[company] + weight <= self._most_waiting // A_SHARE
        return 2 * self._most_waiting if little else self._most_waiting

    async def close(self) -> None:
        await self._connection.close()

    async def _put(self, put: Put) -> Outcome:
        client = await self._open()
        most = client.max_payload - HEADROOM
        sent = [
            self._send(client, shard, part, parcel)
            for shard, whole in parts(put, self._settings.nats_shards)
            for part, parcel in packed(whole, self._inbox, most)
        ]
        answers = await asyncio.gather(*sent, return_exceptions=True)
        return joined(answers)

    async def _open(self) -> Client:
        try:
            return await self._connection.open()
        except AwayError as away:
            raise StreamAway from away

    async def _listen(self, client: Client) -> None:
        self._inbox = client.new_inbox()
        await client.subscribe(f"{self._inbox}.*", cb=self._answered)

    async def _answered(self, message: Msg) -> None:
        waiting = self._answers.get(message.subject.rpartition(".")[2])
        if waiting is not None and not waiting.done():
            waiting.set_result(jetstream.answer(message.data))

    async def _send(self, client: Client, shard: int, part: Put, parcel: bytes) -> Outcome:
        """Publish a parcel, and wait a moment for its outcome."""
        name = uuid4().hex
        answer = self._answers[name] = asyncio.get_running_loop().create_future()
        try:
            await self._publish(client, jetstream.subject(shard), parcel, name)
            await asyncio.wait([answer], timeout=self._patience)
        finally:
            del self._answers[name]
        if not answer.done():
            return Outcome(0, 0, list(part.refusals), len(part.readings))
        told = answer.result()
        if told.revoked:
            raise Unauthenticated(
                "The credential was revoked or has expired while this request was running."
            )
        return Outcome(told.accepted, told.duplicates, told.refusals)

    async def _publish(self, client: Client, subject: str, parcel: bytes, name: str) -> None:
        """Publish a parcel, again after a lost acknowledgement. JetStream removes duplicates."""
        for last in (False, True):
            try:
                await client.jetstream().publish(
                    subject,
                    parcel,
                    timeout=PUBLISH_SECONDS,
                    stream=STREAM,
                    headers={NAME: name},
                )
            except APIError as refused:
                raise Busy if refused.err_code == STORE_FAILED else StreamAway from refused
            except (Error, OSError, TimeoutError) as lost:
                if last:
                    raise StreamAway from lost
                client = await self._open()
            else:
                return


def joined(outcomes: Sequence[Outcome | BaseException]) -> Outcome:
    """Merge the outcomes of all parts. If one failed, the whole request fails and is sent again."""
    whole = Outcome(0, 0, [])
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        whole |= outcome
    whole.refusals.sort(key=lambda refusal: refusal.index)
    return whole
