"""One store for every token: opened, looked up, ended and swept alike, whoever holds them."""

import asyncio
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import pytest
from litestar import Router

from customers.mall import Mall
from fleet.depot import Depot
from fleet.test_signin import PHONE, ask, code, signed_in
from pannier.accounts.tokens import queries, service
from pannier.accounts.tokens.auth import TokenLogin, TokenLookup, read_bearer
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.accounts.tokens.models import Holder, Token
from pannier.accounts.tokens.service import NewToken
from pannier.accounts.tokens.sweep import TOKENS
from pannier.errors import Unauthenticated
from pannier.kit.clock import ManualClock
from pannier.web.exchange import current
from pannier.web.routes import get
from probe import mounted, refused
from program import PATIENCE
from stage import PASSWORD, Firm, House

KEEP: Final = timedelta(days=30)

ME: Final = "/int/v1/me"
SESSIONS: Final = "/int/v1/sessions"


def device(firm: Firm) -> Holder:
    return Holder(firm.uuid, "device", UUID(int=7), "device_7")


async def opened(house: House, holder: Holder, life: timedelta | None = None) -> NewToken:
    async with house.database.transaction() as db:
        return await service.create_token(db, holder, "test", SigninOrigin(), lifetime=life)


async def alive(house: House, holder: Holder) -> list[Token]:
    async with house.database.reading() as db:
        return await queries.list_valid_tokens(db, holder)


async def kept(house: House) -> int:
    found: int = await house.value("select count(*) from tokens where method = 'test'")
    return found


async def waiting(house: House) -> None:
    """Let the other tasks run until somebody waits for a row."""
    async with asyncio.timeout(PATIENCE):
        while not await house.value(  # noqa: ASYNC110 - PostgreSQL tells only when asked
            """select exists(select from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock')"""
        ):
            await asyncio.sleep(0.01)


async def test_a_device_has_two_tokens_while_it_is_given_another(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    made = []
    for _ in range(3):
        made.append(await opened(house, device(acme)))
        clock.advance(days=400)
    assert all(one.text.startswith("dvc_live_") for one in made)
    assert [row.uuid for row in await alive(house, device(acme))] == [
        made[2].row.uuid, made[1].row.uuid,
    ]  # fmt: skip
    async with house.database.transaction() as db:
        await service.revoke_token(db, device(acme), made[1].row.public_id, revoked_by="rotation")
    assert [row.uuid for row in await alive(house, device(acme))] == [made[2].row.uuid]


@get("/telemetry")
async def telemetry(caller: TokenLogin) -> list[str]:
    """Tell which device it is."""
    return [caller.public_id]


# Fleets stand in for devices, which come later: any table with a name will do.
DEVICES: Final = TokenLookup("device", "fleets", TokenLogin)


async def by_device(_: Any) -> None:
    """Let a device in."""
    exchange = current.get()
    exchange.caller = await DEVICES.authenticate(exchange, read_bearer(exchange))
    if exchange.caller is None:
        raise Unauthenticated


async def test_both_tokens_of_a_device_let_it_in_until_one_is_revoked(
    depot: Depot, acme: Firm, house: House
) -> None:
    made = await depot.fleet()
    holder = Holder(acme.uuid, "device", UUID(made["uuid"]), made["id"])
    old, new = await opened(house, holder), await opened(house, holder)
    doors = mounted(house, Router("/", route_handlers=[telemetry], before_request=by_device))
    for one in (old, new):
        assert (await doors.client(one.text).get("/telemetry")).json() == [made["id"]]
    async with house.database.transaction() as db:
        await service.revoke_token(db, holder, old.row.uuid, revoked_by="rotation")
    refused(await doors.client(old.text).get("/telemetry"), 401, "unauthenticated")
    assert (await doors.client(new.text).get("/telemetry")).status_code == 200


async def test_a_look_up_is_one_statement(depot: Depot, acme: Firm, house: House) -> None:
    await depot.driver(phone=PHONE)
    me = house.client((await signed_in(acme))["token"])
    # The warmest connection is lent next, so the request will use this one.
    connection = await house.database.connections.acquire()
    heard: list[str] = []
    with connection.query_logger(lambda record: heard.append(record.query)):
        house.database.connections.release(connection)
        assert (await me.get("/v1/drivers/sessions")).status_code == 200
        await asyncio.sleep(0)  # The logger is called soon after a statement.
    assert len(heard) == 2, "one for the token, its holder and their company, one for the list"


async def test_a_token_of_one_kind_or_company_is_not_anothers(
    acme: Firm, rival: Firm, house: House
) -> None:
    made = await opened(house, device(acme))
    driver = Holder(acme.uuid, "driver", UUID(int=7), "driver_7")
    elsewhere = Holder(rival.uuid, "device", UUID(int=7), "device_7")
    for holder in (driver, elsewhere):
        async with house.database.transaction() as db:
            assert await service.revoke_all_tokens(db, holder, revoked_by="nobody") == 0
        assert await alive(house, holder) == []
    assert [row.uuid for row in await alive(house, device(acme))] == [made.row.uuid]


@pytest.mark.parametrize("end", ["expired", "idle", "revoked"])
async def test_what_has_ended_is_swept_some_time_later(
    acme: Firm, house: House, clock: ManualClock, end: str
) -> None:
    store = await house.value("select uuid from stores where company = :company", company=acme.uuid)
    holder = Holder(acme.uuid, "customer", UUID(int=8), "customer_8", store)
    await opened(house, holder, timedelta(days=1) if end == "expired" else None)
    await opened(house, device(acme))
    match end:
        case "expired":
            clock.advance(days=1)
        case "idle":
            clock.advance(days=60)
        case _:
            async with house.database.transaction() as db:
                await service.revoke_all_tokens(db, holder, revoked_by="test")
    assert await alive(house, holder) == []
    clock.advance(days=KEEP.days, seconds=-1)
    await TOKENS.delete_batch(house.database, KEEP)
    assert await kept(house) == 2
    clock.advance(seconds=2)
    assert await TOKENS.delete_batch(house.database, KEEP) is True
    assert await TOKENS.delete_batch(house.database, KEEP) is False
    assert await kept(house) == 1
    assert len(await alive(house, device(acme))) == 1


async def test_the_sweep_takes_bounded_batches_along_an_index(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    for number in range(5):
        holder = Holder(acme.uuid, "device", UUID(int=number), f"device_{number}")
        await opened(house, holder, timedelta(hours=1))
    clock.advance(days=31)
    taken = [await TOKENS.delete_batch(house.database, KEEP, batch=2) for _ in range(4)]
    assert taken == [True, True, True, False]
    async with house.database.transaction() as db:
        await db.execute("set local enable_seqscan = off")
        plan = await db.fetch_value(
            """explain (format json) select uuid from tokens
               where company = :company and ends_at <= now() order by ends_at limit 1000""",
            company=acme.uuid,
        )
    assert "tokens_company_ends_at_idx" in str(plan)


async def test_a_use_that_meets_a_revocation_does_not_undo_it(
    mall: Mall, house: House, clock: ManualClock
) -> None:
    _, client = await mall.visitor()
    clock.advance(hours=1)
    async with house.database.transaction() as db:
        await db.execute("update tokens set revoked_at = :now, ends_at = :now", now=db.now)
        # It was alive when it was looked up; writing down the use waits for the revocation.
        using = asyncio.create_task(client.get("/storefront/v1/customers/me"))
        await waiting(house)
    await using
    refused(await client.get("/storefront/v1/customers/me"), 401, "customer_token_invalid")
    assert await house.value("select max(ends_at) from tokens") == clock.now()


@pytest.mark.slow
async def test_of_a_sign_in_and_a_suspension_at_once_no_token_is_left_alive(
    depot: Depot, acme: Firm, house: House, clock: ManualClock
) -> None:
    made = await depot.driver(phone=PHONE)
    path = f"/v1/drivers/{made['id']}"
    for _ in range(4):
        await ask(acme)
        body = {"identity": PHONE, "code": await code(house)}
        entered, suspended = await asyncio.gather(
            acme.api.post("/v1/drivers/verify-code", json=body),
            acme.api.patch(path, json={"status": "suspended"}),
        )
        assert suspended.status_code == 200, suspended.text
        assert entered.status_code in {200, 422}, entered.text
        await acme.api.patch(path, json={"status": "active"})
        if entered.status_code == 200:
            client = house.client(entered.json()["token"])
            refused(await client.get("/v1/drivers/me"), 401, "unauthenticated")
        clock.advance(hours=1)


async def test_a_driver_lists_and_ends_their_own_sign_ins(
    depot: Depot, acme: Firm, house: House, clock: ManualClock
) -> None:
    await depot.driver(phone=PHONE)
    await depot.driver(phone="+6598765432")
    here = house.client((await signed_in(acme))["token"], **{"User-Agent": "Pannier Driver 1.0"})
    other = house.client((await signed_in(acme, "+6598765432"))["token"])
    clock.advance(minutes=10)
    there = house.client((await signed_in(acme))["token"])
    rows = (await here.get("/v1/drivers/sessions")).json()
    assert [(row["current"], row["method"]) for row in rows] == [(False, "sms"), (True, "sms")]
    path = f"/v1/drivers/sessions/{rows[0]['id']}"
    refused(await other.delete(path), 404, "not_found")
    assert (await here.delete(path)).json() == {"status": "ok"}
    refused(await there.get("/v1/drivers/me"), 401, "unauthenticated")
    refused(await here.delete(path), 404, "not_found")
    assert (await here.post("/v1/drivers/logout-all")).json() == {"status": "ok"}
    refused(await here.get("/v1/drivers/me"), 401, "unauthenticated")
    assert (await other.get("/v1/drivers/me")).status_code == 200


@pytest.mark.parametrize("all_at_once", [False, True])
async def test_an_operator_ends_a_drivers_sign_ins(
    depot: Depot, acme: Firm, rival: Firm, house: House, *, all_at_once: bool
) -> None:
    made = await depot.driver(phone=PHONE)
    me = house.client((await signed_in(acme))["token"])
    dispatcher = await acme.operator("dispatcher")
    path = f"/int/v1/drivers/{made['id']}/tokens"
    [row] = (await dispatcher.get(path)).json()["data"]
    refused(await rival.admin.get(path), 404, "not_found")
    refused(await rival.admin.delete(path), 404, "not_found")
    refused(await (await acme.operator("viewer")).delete(path), 403, "forbidden")
    assert (await me.get("/v1/drivers/me")).status_code == 200
    gone = await dispatcher.delete(path if all_at_once else f"{path}/{row['id']}")
    assert gone.json() == {"status": "ok"}
    refused(await me.get("/v1/drivers/me"), 401, "unauthenticated")
    assert (await dispatcher.get(path)).json()["data"] == []
    [ended] = (await dispatcher.get(f"{path}?ended=true")).json()["data"]
    assert (ended["id"], ended["revoked_at"] is not None) == (row["id"], True)
    assert ended["revoked_by"].startswith("operator_")
    log = (await acme.admin.get(f"/int/v1/audit?subject={made['id']}")).json()["data"]
    expected = "driver.tokens_revoked" if all_at_once else "driver.token_revoked"
    assert expected in [entry["action"] for entry in log]


async def entered(house: House, firm: Firm) -> str:
    body = {"email": firm.email("viewer"), "password": PASSWORD}
    answer = await house.client(**{"User-Agent": "Firefox"}).post("/int/v1/login", json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["token"])


async def test_operators_see_and_end_their_own_sign_ins(acme: Firm, house: House) -> None:
    first = house.client(await acme.sign_up("viewer"))
    second = house.client(await entered(house, acme))
    rows = (await second.get(SESSIONS)).json()["data"]
    assert [(row["current"], row["method"], row["user_agent"]) for row in rows] == [
        (True, "password", "Firefox"), (False, "command", ""),
    ]  # fmt: skip
    assert (await second.delete(f"{SESSIONS}/{rows[1]['id']}")).status_code == 200
    refused(await first.get(ME), 401, "unauthenticated")
    [theirs] = (await acme.admin.get(SESSIONS)).json()["data"]
    refused(await second.delete(f"{SESSIONS}/{theirs['id']}"), 404, "not_found")
    assert (await second.delete(SESSIONS)).status_code == 200
    refused(await second.get(ME), 401, "unauthenticated")
    assert (await acme.admin.get(ME)).status_code == 200


async def test_an_admin_ends_the_sign_ins_of_another_operator(
    acme: Firm, rival: Firm, house: House
) -> None:
    viewer = house.client(await acme.sign_up("viewer"))
    name = (await viewer.get(ME)).json()["operator"]["id"]
    path = f"/int/v1/operators/{name}/tokens"
    refused(await (await acme.operator("dispatcher")).get(path), 403, "forbidden")
    refused(await rival.admin.delete(path), 404, "not_found")
    [row] = (await acme.admin.get(path)).json()["data"]
    assert (await acme.admin.delete(f"{path}/{row['id']}")).status_code == 200
    refused(await viewer.get(ME), 401, "unauthenticated")
    again = house.client(await entered(house, acme))
    assert (await acme.admin.delete(path)).status_code == 200
    refused(await again.get(ME), 401, "unauthenticated")
    log = (await acme.admin.get(f"/int/v1/audit?subject={name}")).json()["data"]
    assert {"operator.token_revoked", "operator.tokens_revoked"} <= {row["action"] for row in log}
