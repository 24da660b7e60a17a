"""The front: takes what senders send, and hands it to JetStream in the writer's place.

It answers once JetStream has it for good. For a moment it waits to hear what became of it, so that
in the usual case a sender hears the same as from the writer itself.
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

MOST_READINGS: Final = 500  # of one parcel
MOST_REFUSALS: Final = 100  # each has up to 4 KB of what was refused
HEADROOM: Final = 4096  # bytes of a message beside the parcel
PATIENCE: Final = 2.0  # seconds for the answer of whoever stores
PUBLISH_SECONDS: Final = 3.0
STORE_FAILED: Final = 10077  # what JetStream says when the stream is full


def parts(put: Put, shards: int) -> Iterator[tuple[int, Put]]:
    """Divide what was sent by shards, and into parts that are not too large."""
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
    """Pack a part as often as it must be halved to fit into messages."""
    parcel = jetstream.encode(Parcel(put.source, put.readings, put.refusals, put.places, reply))
    if len(parcel) <= most or len(put.readings) <= 1:
        yield put, parcel
    else:
        for half in put.halves():
            yield from packed(half, reply, most)


class Front:
    """Stands in the writer's place, in every process of the API."""

    def __init__(
        self, settings: Settings, *, most_waiting: int = MOST_WAITING, patience: float = PATIENCE
    ) -> None:
        self._settings, self._patience = settings, patience
        self._most_waiting = most_waiting
        self.waiting = 0
        self._of = Counter[UUID]()  # what waits of each company
        self._connection = Connection(settings, self._listen)
        # Where answers come to, and who waits for which.
        self._inbox = ""
        self._answers: dict[str, asyncio.Future[Answer]] = {}

    async def put(
        self, source: Source, readings: Sequence[Reading], refusals: Sequence[Refusal] = ()
    ) -> Outcome:
        """Hand over what was sent, and tell what became of it, as far as that is known."""
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
        """Tell how much may wait; who has little waiting is not sent away for what others have."""
        little = self._of[company] + weight <= self._most_waiting // A_SHARE
        return 2 * self._most_waiting if little else self._most_waiting

    async def close(self) -> None:
        """Leave."""
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
        """Publish a parcel, and wait a moment for what becomes of it."""
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
            raise Unauthenticated("This credential was revoked or has expired.")
        return Outcome(told.accepted, told.duplicates, told.refusals)

    async def _publish(self, client: Client, subject: str, parcel: bytes, name: str) -> None:
        """Have JetStream take a parcel; after a lost receipt it is sent again, and taken once."""
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
    """Put what became of the parts together; one that failed fails all, to be sent again."""
    whole = Outcome(0, 0, [])
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        whole |= outcome
    whole.refusals.sort(key=lambda refusal: refusal.index)
    return whole
