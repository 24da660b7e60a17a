"""Decisions §1, Concurrency, and the transaction around every request."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import asyncpg
import pytest
from litestar.response import Stream
from structlog.testing import capture_logs

import probe
import stage
from pannier.db import Database, Db
from pannier.db.connection_pool import ConnectionPool
from pannier.db.database import RETRY_DELAYS
from pannier.errors import Conflict
from pannier.web.routes import get, post
from probe import Heard, keyed, knock, mounted, refused
from stage import Firm, House

COLUMNS = "id int, word text, constraint once unique (word) deferrable initially deferred"


@pytest.fixture(autouse=True)
async def notes(database_url: str) -> AsyncIterator[None]:
    async with probe.table(database_url, "notes", COLUMNS):
        yield


async def written(house: House) -> int:
    count: int = await house.value("select count(*) from notes")
    return count


class Counted(Conflict):
    """A refusal that is remembered."""

    code, title, keeps_changes = "counted", "Counted.", True


@post("/write/{word:str}")
async def write(word: str, db: Db) -> list[str]:
    """Write a word down; saving it twice fails only at the end."""
    await db.execute("insert into notes values (1, :word)", word=word)
    return [word]


@post("/refuse")
async def refuse(db: Db) -> None:
    """Change something, then refuse."""
    await db.execute("insert into notes values (1, 'refused')")
    raise Conflict


@post("/count")
async def count(db: Db) -> None:
    """Count something, then refuse."""
    await db.execute("insert into notes values (1, 'counted')")
    raise Counted


@post("/careless")
async def careless(db: Db) -> list[str]:
    """Swallow a failed statement and claim success."""
    await db.execute("insert into notes values (1, 'careless')")
    with contextlib.suppress(asyncpg.UndefinedTableError):
        await db.execute("insert into nowhere values (1)")
    return ["done"]


async def test_what_was_done_is_committed_before_the_first_byte_leaves(house: House) -> None:
    edge = mounted(house, write).edge
    seen: list[tuple[str, int]] = []

    async def send(message: dict[str, Any]) -> None:
        seen.append((message["type"], await written(house)))

    await knock(edge, send, method="POST", path="/write/a")
    assert seen == [("http.response.start", 1), ("http.response.body", 1)]


async def test_a_stream_is_committed_before_its_first_byte_too(house: House) -> None:
    @post("/stream")
    async def stream(db: Db) -> Stream:
        """Write, then answer piece by piece."""
        await db.execute("insert into notes values (1, 'streamed')")

        async def pieces() -> AsyncIterator[bytes]:
            yield b"one"
            yield b"two"

        return Stream(pieces())

    seen: list[tuple[str, int]] = []

    async def send(message: dict[str, Any]) -> None:
        seen.append((message["type"], await written(house)))

    await knock(mounted(house, stream).edge, send, method="POST", path="/stream")
    assert seen[0] == ("http.response.start", 1)
    assert len(seen) > 3


async def test_a_commit_that_fails_has_sent_nothing_but_a_problem(house: House) -> None:
    client = mounted(house, write).client()
    assert (await client.post("/write/a")).status_code == 201
    heard = Heard()
    await knock(mounted(house, write).edge, heard, method="POST", path="/write/a")
    assert heard.status == 500
    assert b'"code":"internal"' in heard.body
    assert [message["type"] for message in heard.messages].count("http.response.start") == 1
    assert await written(house) == 1


async def test_a_stream_whose_commit_fails_has_sent_nothing_but_a_problem(house: House) -> None:
    @post("/stream")
    async def stream(db: Db) -> Stream:
        """Write twice what may be there once, then answer piece by piece."""
        await db.execute("insert into notes values (1, 'twice'), (2, 'twice')")

        async def pieces() -> AsyncIterator[bytes]:
            yield b"one"
            yield b"two"

        return Stream(pieces())

    refused(await mounted(house, stream).client().post("/stream"), 500, "internal")
    assert await written(house) == 0


async def test_a_stream_that_breaks_off_breaks_the_connection_off(house: House) -> None:
    @get("/stream")
    async def stream() -> Stream:
        """Break in the middle."""

        async def pieces() -> AsyncIterator[bytes]:
            yield b"one"
            raise ValueError("oops")

        return Stream(pieces())

    heard = Heard()
    with pytest.raises(Exception, match="failed after a part of it was sent"):
        await knock(mounted(house, stream).edge, heard, path="/stream")
    assert heard.status == 200
    assert all(message.get("more_body", True) for message in heard.messages)


async def test_a_keyed_commit_that_fails_keeps_nothing(acme: Firm, house: House) -> None:
    client = mounted(house, keyed(write)).client(acme.api_key, **{"Idempotency-Key": "one"})
    await client.post("/v1/write/a")
    client.headers["Idempotency-Key"] = "two"
    assert (await client.post("/v1/write/a")).status_code == 500
    assert await house.value("select count(*) from idempotency_answers") == 1


async def test_raising_undoes_everything(house: House) -> None:
    refused(await mounted(house, refuse).client().post("/refuse"), 409, "conflict")
    assert await written(house) == 0


async def test_a_refusal_that_must_be_remembered_is_committed(house: House) -> None:
    refused(await mounted(house, count).client().post("/count"), 409, "counted")
    assert await written(house) == 1


async def test_success_is_never_claimed_for_what_was_rolled_back(house: House) -> None:
    refused(await mounted(house, careless).client().post("/careless"), 500, "internal")
    assert await written(house) == 0


async def test_reading_cannot_write(house: House) -> None:
    @get("/sneak")
    async def sneak(db: Db) -> list[str]:
        """Write where one may only read."""
        await db.execute("insert into notes values (1, 'sneaked')")
        return []

    refused(await mounted(house, sneak).client().get("/sneak"), 500, "internal")
    assert await written(house) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "failure", [asyncpg.SerializationError("no"), asyncpg.DeadlockDetectedError("no")]
)
async def test_a_passing_failure_is_tried_again_unseen(house: House, failure: Exception) -> None:
    tries: list[int] = []

    @post("/unlucky")
    async def unlucky(db: Db) -> list[int]:
        """Fail twice, then succeed."""
        tries.append(1)
        await db.execute("insert into notes values (:id, 'luck')", id=len(tries))
        if len(tries) < 3:
            raise failure
        return [len(tries)]

    answer = await mounted(house, unlucky).client().post("/unlucky")
    assert (answer.status_code, answer.json()) == (201, [3])
    assert await written(house) == 1


async def test_two_racing_requests_that_cannot_both_be_serial_both_succeed_in_the_end(
    house: House,
) -> None:
    both_read = asyncio.Barrier(2)
    first_time = {"a", "b"}

    @post("/add/{who:str}")
    async def add(who: str, db: Db) -> list[int]:
        """Add one to what was read."""
        await db.execute("set transaction isolation level repeatable read")
        number = await db.fetch_value("select id from notes")
        if who in first_time:
            first_time.discard(who)
            await both_read.wait()
        await db.execute("update notes set id = :id", id=number + 1)
        return [number + 1]

    async with house.database.transaction() as db:
        await db.execute("insert into notes values (0, 'counter')")
    client = mounted(house, add).client()
    answers = await asyncio.gather(client.post("/add/a"), client.post("/add/b"))
    assert sorted(answer.json() for answer in answers) == [[1], [2]]
    assert await house.value("select id from notes") == 2


@pytest.mark.slow
async def test_two_requests_in_a_deadlock_both_succeed_in_the_end(house: House) -> None:
    both_hold = asyncio.Barrier(2)
    first_time = {1, 2}

    @post("/lock/{first:int}/{second:int}")
    async def lock(first: int, second: int, db: Db) -> list[int]:
        """Take two rows, one after the other."""
        await db.fetch_value("select word from notes where id = :id for update", id=first)
        if first in first_time:
            first_time.discard(first)
            await both_hold.wait()
        await db.execute("update notes set word = word || '!' where id = :id", id=second)
        return [first, second]

    async with house.database.transaction() as db:
        await db.execute("insert into notes values (1, 'one'), (2, 'two')")
    client = mounted(house, lock).client()
    answers = await asyncio.gather(client.post("/lock/1/2"), client.post("/lock/2/1"))
    assert [answer.status_code for answer in answers] == [201, 201]
    assert await house.value("select string_agg(word, ' ' order by id) from notes") == "one! two!"


@pytest.mark.usefixtures("brief_pauses")
async def test_a_request_gives_up_when_it_never_succeeds(house: House) -> None:
    tries: list[int] = []

    @get("/hopeless")
    async def hopeless() -> None:
        """Fail each time."""
        tries.append(1)
        raise asyncpg.SerializationError("no")

    answer = await mounted(house, hopeless).client().get("/hopeless")
    refused(answer, 503, "database_unavailable")
    assert int(answer.headers["retry-after"]) > 0
    assert len(tries) == len(RETRY_DELAYS) + 1


async def test_without_a_free_connection_a_request_is_refused_soon_and_not_tried_again(
    house: House, database_url: str
) -> None:
    tries: list[int] = []

    @get("/look")
    async def look(db: Db) -> list[int]:
        """Ask the database."""
        tries.append(1)
        return [await db.fetch_value("select 1")]

    narrow = ConnectionPool(database_url, 1, wait_seconds=0.05)
    database = Database(narrow, narrow, house.clock, house.database.keys)
    held = await narrow.acquire()
    client = mounted(replace(house, database=database), look).client()
    answer = await client.get("/look")
    refused(answer, 503, "overloaded")
    assert int(answer.headers["retry-after"]) > 0
    assert len(tries) == 1
    narrow.release(held)
    assert (await client.get("/look")).json() == [1]
    await database.close()


async def test_a_defect_of_ours_is_logged_and_not_taken_for_the_databases(house: House) -> None:
    tries: list[int] = []

    @get("/two")
    async def two(db: Db) -> None:
        """Ask two questions at once, which no repetition makes right."""
        tries.append(1)
        await db.fetch_value("select 1")
        await asyncio.gather(
            db.fetch_value("select pg_sleep(0)"), db.fetch_value("select pg_sleep(0)")
        )

    @get("/else")
    async def other(db: Db) -> None:  # noqa: ARG001 - it is not the database's
        """Lose a connection to somebody else."""
        tries.append(1)
        raise ConnectionResetError

    client = mounted(house, two, other).client()
    for path in ("/two", "/else"):
        with capture_logs() as lines:
            refused(await client.get(path), 500, "internal")
        assert [line["event"] for line in lines] == ["request failed"]
    assert len(tries) == 2


async def test_a_timeout_or_a_missing_file_of_our_own_is_not_the_databases(house: House) -> None:
    tries: list[int] = []

    @get("/outside/{what:str}")
    async def outside(what: str) -> None:
        """Fail for a reason that has nothing to do with the database."""
        tries.append(1)
        raise {"time": TimeoutError, "file": FileNotFoundError, "value": ValueError}[what]("oops")

    client = mounted(house, outside).client()
    for what in ("time", "file", "value"):
        refused(await client.get(f"/outside/{what}"), 500, "internal")
    assert len(tries) == 3


@pytest.mark.slow
async def test_connections_that_died_between_requests_are_replaced(
    acme: Firm, house: House, database_url: str
) -> None:
    paths = ["/v1/organizations/current"] * 8
    assert all(
        answer.is_success
        for answer in await asyncio.gather(*(acme.api.get(path) for path in paths))
    )
    assert await probe.hang_up(database_url) > 1
    answers = await asyncio.gather(*(acme.api.get(path) for path in paths))
    assert [answer.status_code for answer in answers] == [200] * 8
    made = await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "After"})
    assert made.status_code == 201
    assert await house.value("select count(*) from keys where name = 'After'") == 1


async def test_a_connection_that_dies_during_a_request_is_not_noticed_by_its_caller(
    house: House,
) -> None:
    tries: list[int] = []

    @post("/mortal")
    async def mortal(db: Db) -> list[int]:
        """Write, and the first time lose the connection."""
        tries.append(1)
        await db.execute("insert into notes values (1, 'mortal')")
        if len(tries) == 1:
            await db.fetch_value("select pg_terminate_backend(pg_backend_pid())")
        return [len(tries)]

    answer = await mounted(house, mortal).client().post("/mortal")
    assert (answer.status_code, answer.json()) == (201, [2])
    assert await written(house) == 1


@pytest.mark.slow
async def test_a_connection_that_dies_just_before_the_commit_is_not_noticed_either(
    house: House, database_url: str
) -> None:
    tries: list[int] = []

    @post("/late")
    async def late(db: Db) -> list[int]:
        """Write, and the first time lose the connection when all is done."""
        tries.append(1)
        await db.execute("insert into notes values (1, 'late')")
        if len(tries) == 1:
            await probe.hang_up(database_url)
            while not db.is_lost:  # noqa: ASYNC110 - nobody tells when the news has come in
                await asyncio.sleep(0)
        return [len(tries)]

    answer = await mounted(house, late).client().post("/late")
    assert (answer.status_code, answer.json()) == (201, [2])
    assert await written(house) == 1


@pytest.fixture
async def deadly_commit(notes: None, database_url: str) -> AsyncIterator[None]:  # noqa: ARG001 - made first
    """The first commit of a note kills its own connection; the others pass."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        """create sequence deaths;
           create function die() returns trigger language plpgsql as $$ begin
               if nextval('deaths') = 1 then
                   perform pg_terminate_backend(pg_backend_pid());
                   perform pg_sleep(0.01);
               end if;
               return null;
           end $$;
           create constraint trigger die after insert on notes deferrable initially deferred
               for each row execute function die()"""
    )
    yield
    await connection.execute("drop function die cascade; drop sequence deaths")
    await connection.close()


@pytest.mark.usefixtures("deadly_commit")
async def test_a_commit_whose_outcome_is_unknown_is_said_so_and_not_repeated(house: House) -> None:
    answer = await mounted(house, write).client().post("/write/a")
    refused(answer, 503, "outcome_unknown")
    # Who waits and tries again would have it done twice.
    assert "retry-after" not in answer.headers
    assert await house.value("select last_value from deaths") == 1


@pytest.mark.usefixtures("deadly_commit")
async def test_with_an_idempotency_key_the_outcome_is_found_out(acme: Firm, house: House) -> None:
    client = mounted(house, keyed(write)).client(acme.api_key, **{"Idempotency-Key": "one"})
    assert (await client.post("/v1/write/a")).status_code == 201
    assert await written(house) == 1


@pytest.mark.slow
async def test_more_requests_than_connections_wait_their_turn(acme: Firm) -> None:
    answers = await asyncio.gather(
        *(acme.api.get("/v1/organizations/current") for _ in range(60)),
        *(acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "x"}) for _ in range(20)),
    )
    assert {answer.status_code for answer in answers} == {200, 201}


async def test_a_caller_who_goes_away_leaves_no_connection_behind(acme: Firm, house: House) -> None:
    began = asyncio.Event()

    @post("/endless")
    async def endless(db: Db) -> None:
        """Hold a lock for ever."""
        await db.execute("lock table notes")
        began.set()
        await asyncio.Event().wait()

    request = asyncio.create_task(mounted(house, endless).client().post("/endless"))
    await began.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    async with house.database.transaction() as db:
        await db.execute("set local lock_timeout = '2s'")
        await db.execute("lock table notes")
    assert acme.company


async def test_two_admins_who_demote_each_other_leave_one_admin(acme: Firm, house: House) -> None:
    async with house.database.transaction() as db:
        await db.execute("update operators set email_key = 'moved' where role = 'admin'")
    other = await acme.operator("admin")
    me, them = [
        (await client.get("/int/v1/me")).json()["operator"]["id"] for client in (acme.admin, other)
    ]
    answers = await asyncio.gather(
        acme.admin.patch(f"/int/v1/operators/{them}", json={"role": "viewer"}),
        other.patch(f"/int/v1/operators/{me}", json={"role": "viewer"}),
    )
    codes = sorted(answer.status_code for answer in answers)
    assert codes in ([200, 403], [200, 409]), [answer.text for answer in answers]
    assert await house.value("select count(*) from operators where role = 'admin'") == 1


async def test_two_racing_rotations_have_one_winner(acme: Firm) -> None:
    made = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})).json()
    path = f"/int/v1/keys/{made['id']}/rotate"
    answers = await asyncio.gather(*(acme.admin.post(path, json={}) for _ in range(5)))
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [201, 409, 409, 409, 409]
    refused(next(a for a in answers if a.status_code == 409), 409, "key_revoked")


async def test_two_racing_sign_ups_with_one_address_have_one_winner(acme: Firm) -> None:
    body = {
        "email": "ada@example.com", "name": "Ada", "role": "viewer", "password": "a long sentence",
    }  # fmt: skip
    answers = await asyncio.gather(
        *(acme.admin.post("/int/v1/operators", json=body) for _ in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


@pytest.mark.slow
async def test_a_table_that_changes_its_shape_is_no_reason_to_fail(
    acme: Firm, database_url: str
) -> None:
    """Every connection has prepared the statement, and each finds out by itself."""

    @post("/look")
    async def look(db: Db) -> list[str]:
        await db.fetch_value("select * from notes")
        return []

    @get("/peek")
    async def peek(db: Db) -> list[str]:
        await db.fetch_value("select * from notes")
        return []

    client = mounted(acme.house, keyed(look, peek)).client(acme.api_key)

    async def everybody() -> set[int]:
        asked = [client.post("/v1/look") for _ in range(30)] + [
            client.get("/v1/peek") for _ in range(30)
        ]
        return {answer.status_code for answer in await asyncio.gather(*asked)}

    assert await everybody() == {200, 201}
    await stage.admin(database_url, "alter table notes add column shape text")
    assert await everybody() == {200, 201}
