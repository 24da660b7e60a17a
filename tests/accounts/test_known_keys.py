"""A key that came before is let in by memory, and never once longer than the database says."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any, Final

import httpx
import pytest

from db.ending import end_unheard
from orders.shop import statements
from pannier.accounts.key_cache import MAX_CACHED_KEYS, find_cached_key
from pannier.accounts.queries import find_key_login
from pannier.kit.cache import Cache
from pannier.kit.credential import PresentedCredential
from probe import refused
from program import PATIENCE
from stage import Firm, House, build

PLACES: Final = "/v1/places"
SOMEWHERE: Final = {"street1": "1 Raffles Place", "location": "1.284,103.851"}
# As deep as no body may be, and short.
TOO_DEEP: Final = b'{"meta":' + b"[" * 2000 + b"]" * 2000 + b"}"


async def issued(firm: Firm, **wish: Any) -> dict[str, Any]:
    answer = await firm.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop", **wish})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def known(firm: Firm, house: House, **wish: Any) -> tuple[dict[str, Any], httpx.AsyncClient]:
    """A key that has been let in twice: once by looking it up, once by memory."""
    made = await issued(firm, **wish)
    client = house.client(made["key"])
    for _ in range(2):
        assert (await client.post(PLACES, json=SOMEWHERE)).status_code == 201
    return made, client


async def places(firm: Firm) -> int:
    return len((await firm.api.get(PLACES)).json())


async def test_a_key_that_came_before_is_not_looked_up_again(acme: Firm, house: House) -> None:
    _, client = await known(acme, house)
    async with statements(house) as heard:
        assert (await client.post(PLACES, json=SOMEWHERE)).status_code == 201
    begins = heard[0]
    assert begins.startswith("begin; select from keys")
    assert not any("secret_hash" in each for each in heard)


@pytest.mark.parametrize(
    ("method", "path"), [("delete", ""), ("post", "/rotate")], ids=["revoked", "replaced"]
)
async def test_a_key_that_has_ended_changes_nothing_from_the_next_request_on(
    acme: Firm, house: House, method: str, path: str
) -> None:
    made, client = await known(acme, house)
    before = await places(acme)
    ended = f"/int/v1/keys/{made['id']}{path}"
    body = {"overlap_seconds": 0} if path else None
    assert (await acme.admin.request(method, ended, json=body)).is_success
    for _ in range(2):
        refused(await client.post(PLACES, json=SOMEWHERE), 401, "unauthenticated")
    assert await places(acme) == before


async def test_a_key_ends_at_its_moment_though_it_was_used_the_second_before(
    acme: Firm, house: House
) -> None:
    _, client = await known(acme, house, expires_at="2026-01-15T12:00:30Z")
    house.clock.advance(seconds=29)
    assert (await client.post(PLACES, json=SOMEWHERE)).status_code == 201
    house.clock.advance(seconds=1)
    refused(await client.post(PLACES, json=SOMEWHERE), 401, "unauthenticated")


async def test_other_scopes_hold_from_the_next_request_on(acme: Firm, house: House) -> None:
    made, client = await known(acme, house)
    path = f"/int/v1/keys/{made['id']}"
    await acme.admin.patch(path, json={"scopes": ["places:read"]})
    for _ in range(2):
        refused(await client.post(PLACES, json=SOMEWHERE), 403, "forbidden")
    await acme.admin.patch(path, json={"scopes": ["places:write"]})
    assert (await client.post(PLACES, json=SOMEWHERE)).status_code == 201


async def test_what_is_done_is_told_under_the_name_that_the_key_has_now(
    acme: Firm, house: House
) -> None:
    made, client = await known(acme, house, scopes=["*"])
    await acme.admin.patch(f"/int/v1/keys/{made['id']}", json={"name": "Till"})
    answer = await client.post("/v1/webhooks", json={"url": "https://93.184.216.34/hook"})
    assert answer.status_code == 201, answer.text
    entries = (await acme.admin.get(f"/int/v1/audit?subject={answer.json()['id']}")).json()["data"]
    assert [entry["actor_name"] for entry in entries] == ["Till"]


async def test_a_known_key_with_another_secret_is_refused(acme: Firm, house: House) -> None:
    made, client = await known(acme, house)
    for wrong in (made["key"][:-1] + "!", made["key"].replace("_live_", "_test_")):
        refused(await house.client(wrong).post(PLACES, json=SOMEWHERE), 401, "unauthenticated")
    assert (await client.post(PLACES, json=SOMEWHERE)).status_code == 201


async def test_who_may_not_come_in_hears_nothing_of_what_they_sent(
    acme: Firm, house: House
) -> None:
    made, client = await known(acme, house)
    headers = {"content-type": "application/json"}
    refused(await client.post(PLACES, content=TOO_DEEP, headers=headers), 400, "body_unreadable")
    await acme.admin.delete(f"/int/v1/keys/{made['id']}")
    for body in (TOO_DEEP, b"{", b'{"nonsense": 1}'):
        answer = await client.post(PLACES, content=body, headers=headers)
        refused(answer, 401, "unauthenticated")


async def test_a_key_that_lacks_the_scope_hears_of_that_alone(acme: Firm, house: House) -> None:
    made, client = await known(acme, house)
    path = f"/int/v1/keys/{made['id']}"
    await acme.admin.patch(path, json={"scopes": ["contacts:write"]})
    contact = {"name": "Ada", "type": "customer"}
    headers = {"content-type": "application/json"}
    for _ in range(2):
        assert (await client.post("/v1/contacts", json=contact)).status_code == 201
        refused(await client.post(PLACES, content=TOO_DEEP, headers=headers), 403, "forbidden")


async def test_what_is_refused_for_its_body_counts_too(
    acme: Firm, house: House, tmp_path: Path
) -> None:
    narrow = await build(house.database, house.clock, str(tmp_path), credential_rate="5")
    client = narrow.client(acme.api_key)
    headers = {"content-type": "application/json"}
    assert (await client.post(PLACES, json=SOMEWHERE)).status_code == 201
    answers = [await client.post(PLACES, content=TOO_DEEP, headers=headers) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [400] * 4 + [429] * 2
    async with statements(narrow) as heard:
        refused(await client.post(PLACES, json=SOMEWHERE), 429, "too_many_requests")
    assert heard == []


class OneThread(ThreadPoolExecutor):
    """A single thread, which says when there is more to do than it is at."""

    def __init__(self) -> None:
        super().__init__(1)
        self.given, self.waiting = 0, asyncio.Event()

    def submit(self, *work: Any, **named: Any) -> Any:
        self.given += 1
        if self.given > 1:
            self.waiting.set()
        return super().submit(*work, **named)


async def test_no_connection_waits_for_a_border_to_be_looked_at(acme: Firm, house: House) -> None:
    _, client = await known(acme, house)
    loop, done, thread = asyncio.get_running_loop(), Event(), OneThread()
    loop.set_default_executor(thread)
    busy = loop.run_in_executor(None, done.wait)
    circle = {"name": "Centre", "location": "1.284,103.851", "radius": 500}
    sending = asyncio.create_task(client.post("/v1/service-areas", json=circle))
    try:
        await asyncio.wait_for(thread.waiting.wait(), PATIENCE)
        assert await in_transactions(house) == 0
    finally:
        done.set()
        await busy
        loop.set_default_executor(ThreadPoolExecutor())
    assert (await sending).status_code == 201


async def test_a_request_that_runs_again_counts_once(
    acme: Firm, house: House, tmp_path: Path, database_url: str
) -> None:
    narrow = await build(house.database, house.clock, str(tmp_path), credential_rate="3")
    client = narrow.client(acme.api_key)
    for _ in range(2):
        assert (await client.post(PLACES, json=SOMEWHERE)).status_code == 201
    connection = await house.database.connections.acquire()
    house.database.connections.release(connection)
    end_unheard(database_url, connection.get_server_pid())
    assert (await client.post(PLACES, json=SOMEWHERE)).status_code == 201
    refused(await client.post(PLACES, json=SOMEWHERE), 429, "too_many_requests")


async def in_transactions(house: House) -> int:
    """Count connections that wait in the middle of a transaction."""
    count: int = await house.value(
        """select count(*) from pg_stat_activity
           where datname = current_database() and state = 'idle in transaction'"""
    )
    return count


async def test_no_connection_waits_for_a_body_that_comes_slowly(acme: Firm, house: House) -> None:
    _, client = await known(acme, house)
    body = b'{"street1": "1 Raffles Place", "location": "1.284,103.851"}'
    asked, goes_on = asyncio.Event(), asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield body[:20]
        asked.set()
        await goes_on.wait()
        yield body[20:]

    headers = {"content-type": "application/json", "content-length": str(len(body))}
    sending = asyncio.create_task(client.post(PLACES, content=slowly(), headers=headers))
    await asked.wait()
    assert await in_transactions(house) == 0
    goes_on.set()
    assert (await sending).status_code == 201


async def test_last_use_is_still_written_down_to_the_minute(acme: Firm, house: House) -> None:
    made, client = await known(acme, house)
    house.clock.advance(seconds=59)
    await client.post(PLACES, json=SOMEWHERE)
    path = f"/int/v1/keys/{made['id']}"
    first = (await acme.admin.get(path)).json()["last_used_at"]
    house.clock.advance(seconds=1)
    await client.post(PLACES, json=SOMEWHERE)
    then = (await acme.admin.get(path)).json()["last_used_at"]
    assert (first, then) == ("2026-01-15T12:00:00.000Z", "2026-01-15T12:01:00.000Z")


async def test_a_process_remembers_so_many_keys_and_no_more(acme: Firm, house: House) -> None:
    made = await issued(acme)
    await house.client(made["key"]).get(PLACES)
    async with house.database.reading() as db:
        found = await find_key_login(db, made["id"])
    assert found is not None
    keys: Cache[str, Any] = house.edge.services["keys"]
    shown = [
        PresentedCredential("api", "live", f"{n}", found.secret_hash)
        for n in range(MAX_CACHED_KEYS + 1)
    ]
    for each in shown:
        keys.store(each.id, found)
    now = house.clock.now()
    assert find_cached_key(keys, shown[0], now) is None
    assert find_cached_key(keys, shown[1], now) is found
    assert find_cached_key(keys, shown[-1], now) is found
