"""The cast of the kills: an office with news to deliver, postmen who may die, and a letterbox."""

import asyncio
import os
import random
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

import copier
import program
import stage
from faults import letterbox
from faults.ledger import Attempted, Delivered, Ledger
from faults.letterbox import Letter
from pannier.db import connect
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit.clock import ManualClock, SystemClock
from pannier.kit.crypto import Keyring
from pannier.webhooks import membership, queries
from program import PATIENCE
from stage import Firm

NETWORKS: Final = "127.0.0.0/8"
ORDERS: Final = 200
OFTEN, NOW_AND_THEN = 0.003, 0.03  # seconds between two looks
WORKER: Final = (*program.WORDS, "worker")


async def until(
    holds: Callable[[], Awaitable[bool]], *, within: float = PATIENCE, every: float = NOW_AND_THEN
) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(within):
        while not await holds():  # noqa: ASYNC110 - other processes ring no bell
            await asyncio.sleep(every)


class Letterbox:
    """The receiver's process, and what it has written down."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.letters: list[Letter] = []
        self._read = 0
        self._process = copier.start(
            [letterbox.__file__, str(folder)],
            env=os.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    @property
    def trust(self) -> Path:
        """The file that says whose certificates to trust."""
        return self.folder / "trust.pem"

    def look(self) -> int:
        """Read what has come in, and tell how much it is."""
        with (self.folder / "received").open("rb") as received:
            received.seek(self._read)
            lines = received.read()
        lines = lines[: lines.rfind(b"\n") + 1]
        self._read += len(lines)
        self.letters += [msgspec.json.decode(line, type=Letter) for line in lines.splitlines()]
        return len(self.letters)

    def close(self) -> None:
        """Take it down."""
        with self._process:
            self._process.kill()


class Postman:
    """A worker, `pannier worker` in a process of its own, by whose name the database knows it."""

    def __init__(
        self, name: str, url: str, data: Path, trust: Path, words: Sequence[str] = WORKER
    ) -> None:
        self.name = name
        self.log = data / f"{name}.log"
        mark = "&" if "?" in url else "?"
        with self.log.open("wb") as log:
            self.process = copier.start(
                words,
                env=program.environment(
                    data,
                    database_url=f"{url}{mark}application_name={name}",
                    secret=stage.SECRET,
                    webhook_allow_networks=NETWORKS,
                    webhook_ca_bundle=str(trust),
                ),
                stdout=log.fileno(),
                stderr=log.fileno(),
            )

    def kill(self) -> None:
        """End it at once, without a word."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def dismiss(self) -> int:
        """Ask it to stop, and answer its exit code."""
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def errors(self) -> list[str]:
        """List what it found worth an error."""
        return [line for line in self.log.read_text().splitlines() if '"level":"error"' in line]


class Told(msgspec.Struct):
    """What an event of the run carries."""

    id: str
    number: int


@dataclass
class Office:
    """A company with endpoints at the letterbox, in a database of its own."""

    url: str
    folder: Path
    firm: Firm
    letterbox: Letterbox
    chance: random.Random = field(default_factory=random.Random)
    endpoints: int = 0
    told: int = 0
    postmen: list[Postman] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._orders = self._chosen()

    def _chosen(self) -> Iterator[str]:
        """Choose orders, each for two events in a row, of which the second has to wait."""
        while True:
            order = f"order_{self.chance.randrange(ORDERS)}"
            yield from (order, order)

    async def register(self, box: str, *, slowest: int = 10, **wishes: Any) -> None:
        """Register an endpoint that takes so many milliseconds at the most."""
        url = f"https://{letterbox.HOST}:{self.letterbox.port}/{box}/{slowest}"
        wanted = {"url": url, "timeout": 30, **wishes}
        made = await self.firm.admin.post("/int/v1/webhooks", json=wanted)
        assert made.status_code == 201, made.text
        (self.letterbox.folder / box).write_text(made.json()["secret"])
        self.endpoints += 1

    async def tell(self, events: int) -> None:
        """Let things happen, one after the other."""
        async with self.firm.house.database.transaction() as db:
            for _ in range(events):
                order = next(self._orders)
                told = Told(order, self.told)
                await outbox.emit(db, self.firm.uuid, Name.ORDER_UPDATED, told, subject=order)
                self.told += 1

    def hire(self, words: Sequence[str] = WORKER) -> Postman:
        """Start a worker."""
        name = f"postman_{len(self.postmen)}"
        self.postmen.append(Postman(name, self.url, self.folder, self.letterbox.trust, words))
        return self.postmen[-1]

    async def value(self, sql: str, **values: object) -> Any:
        """Look into the database."""
        return await self.firm.house.value(sql, **values)

    async def locks(self, postman: Postman, kind: int) -> list[int]:
        """List the locks of a kind that a worker holds."""
        found: list[int] = await self.value(
            """select coalesce(array_agg(objid::bigint), '{}')
               from pg_locks join pg_stat_activity using (pid)
               where application_name = :name and locktype = 'advisory' and granted
                 and datname = current_database() and classid::bigint = :kind""",
            name=postman.name,
            kind=kind,
        )
        return found

    async def member(self, postman: Postman) -> int:
        """Wait until a worker has begun, and tell whom it is known as."""

        async def has_begun() -> bool:
            assert postman.process.poll() is None, postman.log.read_text()
            return len(await self.locks(postman, membership.MEMBER_LOCK_KEY)) == 1

        await until(has_begun)
        return (await self.locks(postman, membership.MEMBER_LOCK_KEY))[0]

    async def on_the_way(self, member: int) -> set[str]:
        """List the attempts that a worker has on its way."""
        return set(
            await self.value(
                """select coalesce(array_agg(delivery_name(delivery) || ' ' || attempts), '{}')
                   from webhook_queue where sender = :member""",
                member=member,
            )
        )

    async def at_work(self, member: int) -> None:
        """Wait until a worker has something on its way."""

        async def has_taken() -> bool:
            return bool(await self.on_the_way(member))

        await until(has_taken, every=OFTEN)

    async def heard(self, box: str) -> None:
        """Wait until something has come to an endpoint."""

        async def has_come() -> bool:
            self.letterbox.look()
            return any(letter.box == box for letter in self.letterbox.letters)

        await until(has_come)

    async def lanes_shared(self, *postmen: Postman) -> None:
        """Wait until every worker has its part of the lanes."""
        fair = membership.SHARD_COUNT // len(postmen)

        async def are_shared() -> bool:
            return all(
                [len(await self.locks(one, membership.SHARD_LOCK_KEY)) == fair for one in postmen]
            )

        await until(are_shared)

    async def nothing_stuck(self, *living: int) -> None:
        """Wait until what dead workers had on its way has been taken back."""

        async def is_taken_back() -> bool:
            free: bool = await self.value(
                """select not exists (
                       select from webhook_queue where sender <> all(:living::integer[]))""",
                living=list(living),
            )
            return free

        await until(is_taken_back)

    async def taken_over(self, survivor: Postman) -> None:
        """Wait until a worker has all lanes, and nobody else anything on its way."""
        await self.lanes_shared(survivor)
        await self.nothing_stuck(await self.member(survivor))

    async def within_reach(self, *living: int) -> int:
        """Count what can be delivered without waiting for what a dead worker left behind."""
        count: int = await self.value(
            """with ahead as (
                   select webhook, thread, sequence from webhook_queue where sender is null
                   union all
                   select w.uuid, e.thread, null from events e cross join webhooks w
                   where e.uuid in (select event from event_queue))
               select count(*) from ahead where not exists (
                   select from webhook_queue stuck
                   where stuck.webhook = ahead.webhook and stuck.thread = ahead.thread
                     and stuck.sender <> all(:living::integer[])
                     and stuck.sequence < coalesce(ahead.sequence, stuck.sequence + 1))""",
            living=list(living),
        )
        return count

    async def some_arrive(self, *living: int) -> None:
        """Wait for a part of what can arrive, by chance anything from none to most of it."""
        before = self.letterbox.look()
        goal = before + int(self.chance.uniform(0, 0.8) * await self.within_reach(*living))

        async def have_arrived() -> bool:
            return self.letterbox.look() >= goal

        await until(have_arrived, every=OFTEN)
        # And then a moment of no meaning, so that nothing lies always just before the next step.
        await asyncio.sleep(self.chance.uniform(0, 0.03))

    async def kill(self, postman: Postman) -> set[str]:
        """Kill a worker, and tell which attempts it had on its way."""
        member = await self.member(postman)
        postman.kill()
        moment = await self.value("select clock_timestamp()")

        async def is_gone() -> bool:
            # What it asked the database for last is still done, or it is not.
            gone: bool = await self.value(
                """select not exists (
                       select from pg_locks
                       where classid::bigint = :kind and objid::bigint = :member
                         and locktype = 'advisory')
                   and not exists (
                       select from pg_stat_activity
                       where datname = current_database() and pid <> pg_backend_pid()
                         and backend_type = 'client backend' and xact_start < :moment)""",
                kind=membership.MEMBER_LOCK_KEY,
                member=member,
                moment=moment,
            )
            return gone

        await until(is_gone, every=OFTEN)
        return await self.on_the_way(member)

    async def all_done(self, patience: float) -> None:
        """Wait until nothing is on its way or still to be sent."""

        async def is_done() -> bool:
            done: bool = await self.value(
                """select not exists (select from event_queue)
                   and not exists (select from webhook_queue)"""
            )
            return done

        await until(is_done, within=patience)

    async def ledger(self) -> Ledger:
        """Hold the log against the letterbox."""
        self.letterbox.look()
        async with self.firm.house.database.reading() as db:
            return Ledger(
                await db.fetch_all(
                    Delivered,
                    f"select public_id, state, retries, attempts from {queries.LOG}",
                ),
                await db.fetch_all(
                    Attempted,
                    """select delivery_name(delivery) as delivery, number, outcome
                       from webhook_attempts""",
                ),
                self.letterbox.letters,
            )

    def close(self) -> None:
        """Send everybody home."""
        for postman in self.postmen:
            postman.kill()


@asynccontextmanager
async def opened(server_url: str, folder: Path) -> AsyncIterator[Office]:
    """Open an office in a database of its own, and leave nothing of it behind."""
    name = f"office_{time.time_ns()}"
    url = await stage.create_migrated(server_url, name)
    try:
        async with _furnished(url, folder) as office:
            yield office
    finally:
        await stage.admin(server_url, f"drop database {name} with (force)")


@asynccontextmanager
async def _furnished(url: str, folder: Path) -> AsyncIterator[Office]:
    clock = SystemClock()
    database = await connect(url, clock=clock, keys=Keyring(stage.SECRET), size=4)
    try:
        with closing(Letterbox(folder)) as box:
            house = await stage.build(
                database,
                ManualClock(clock.now()),
                str(folder),
                webhook_allow_networks=NETWORKS,
                webhook_ca_bundle=str(box.trust),
            )
            with closing(Office(url, folder, await house.found("Acme"), box)) as office:
                yield office
            await house.edge.services["webhook_client"].close()
    finally:
        await database.close()
