"""What applies to a company is remembered by each process, and never longer than it applies."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress

import pytest

from orders.shop import statements
from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import queries
from pannier.accounts.queries import COMPANIES
from pannier.db import Db
from pannier.errors import Conflict
from pannier.kit.cache import Cache
from stage import Firm, House


async def zone(db: Db, firm: Firm) -> str:
    return (await queries.load(db, firm.uuid)).time_zone


async def zone_now(firm: Firm) -> str:
    """What is committed."""
    async with firm.house.database.reading() as db:
        return await zone(db, firm)


async def test_what_was_read_before_is_not_read_again(acme: Firm, house: House) -> None:
    await zone_now(acme)
    async with statements(house) as heard:
        assert await zone_now(acme) == "UTC"
    assert len(heard) == 1
    assert "branding" not in heard[0]


async def test_a_change_holds_from_the_next_transaction_on(acme: Firm) -> None:
    assert await zone_now(acme) == "UTC"
    for name in ("Asia/Singapore", "Europe/Berlin"):
        answer = await acme.admin.patch("/int/v1/settings", json={"time_zone": name})
        assert answer.status_code == 200, answer.text
        assert await zone_now(acme) == name


async def test_companies_have_each_their_own(acme: Firm, rival: Firm) -> None:
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Singapore"})
    await rival.admin.patch("/int/v1/settings", json={"time_zone": "Europe/Berlin"})
    for _ in range(2):
        assert (await zone_now(acme), await zone_now(rival)) == ("Asia/Singapore", "Europe/Berlin")


@pytest.mark.parametrize(
    "within", [lambda _: nullcontext(), Db.nested_transaction], ids=["whole", "part"]
)
async def test_what_is_not_committed_applies_to_nobody_else(
    acme: Firm, within: Callable[[Db], AbstractAsyncContextManager[None]]
) -> None:
    with suppress(LookupError):
        async with acme.house.database.transaction() as db:
            assert await zone(db, acme) == "UTC"
            async with within(db):
                row = await accounts.lock_company(db, acme.uuid)
                await COMPANIES.change(db, row, time_zone="Asia/Singapore")
                db.cache.clear()
                assert await zone(db, acme) == "Asia/Singapore"
            raise LookupError
    assert await zone_now(acme) == "UTC"
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Europe/Berlin"})
    assert await zone_now(acme) == "Europe/Berlin"


async def test_what_a_refused_part_changed_does_not_apply_after_it(acme: Firm) -> None:
    async with acme.house.database.transaction() as db:
        with suppress(Conflict):
            async with db.nested_transaction():
                row = await accounts.lock_company(db, acme.uuid)
                await COMPANIES.change(db, row, time_zone="Asia/Singapore")
                assert await zone(db, acme) == "Asia/Singapore"
                raise Conflict
        assert await zone(db, acme) == "UTC"


async def test_of_so_many_companies_and_of_those_that_were_asked_for_last(
    acme: Firm, rival: Firm, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "_CACHE", Cache(2))
    third = await house.found("Third")
    for firm in (acme, rival, acme, third):
        await zone_now(firm)
    for firm, asked in ((third, 1), (acme, 1), (rival, 2), (third, 2), (third, 1)):
        async with statements(firm.house) as heard:
            await zone_now(firm)
        assert len(heard) == asked
