"""Data are kept as long as their company wants, and never longer than the installation."""

from datetime import timedelta
from typing import Any

from pannier.kit.clock import ManualClock
from pannier.notifications import service as notifications
from pannier.notifications import sweep
from stage import Firm

MOST = timedelta(days=90)


async def say(firm: Firm) -> None:
    async with firm.house.database.transaction() as db:
        await notifications.send(db, firm.uuid, "push", "device", "Hello.")
        await db.execute("update messages set state = 'drawer'")


async def keep(firm: Firm, **days: Any) -> None:
    answer = await firm.admin.patch("/int/v1/settings", json={"retention": days})
    assert answer.status_code == 200, answer.text


async def kept(firm: Firm) -> int:
    while await sweep.step(firm.house.database, MOST):
        pass
    sql = "select count(*) from messages where company = :company"
    count: int = await firm.house.value(sql, company=firm.uuid)
    return count


async def test_each_company_keeps_data_as_long_as_it_wants(
    acme: Firm, rival: Firm, clock: ManualClock
) -> None:
    await keep(acme, messages=7, events=1)
    for firm in (acme, rival):
        await say(firm)
    clock.advance(days=6)
    assert (await kept(acme), await kept(rival)) == (1, 1)
    clock.advance(days=2)
    assert (await kept(acme), await kept(rival)) == (0, 1)
    clock.advance(days=90)
    assert await kept(rival) == 0


async def test_nothing_is_kept_longer_than_the_installation_allows(
    acme: Firm, clock: ManualClock
) -> None:
    await keep(acme, messages=80)
    await say(acme)
    clock.advance(days=31)
    assert await sweep.step(acme.house.database, timedelta(days=30))
    assert await kept(acme) == 0
