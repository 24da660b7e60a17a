"""What orders go by is remembered by each process, and never longer than it holds."""

from contextlib import suppress

import msgspec

from orders.shop import Shop, statements
from pannier.db import Db
from pannier.orders.configs import service as configs
from pannier.orders.configs.schemas import OrderConfigChange
from pannier.orders.models import OrderConfig
from stage import Firm, House


async def default(db: Db, firm: Firm) -> OrderConfig:
    return await configs.get_config(db, firm.uuid, None)


async def default_now(firm: Firm) -> OrderConfig:
    """What is committed."""
    async with firm.house.database.reading() as db:
        return await default(db, firm)


async def test_what_orders_go_by_that_name_none_is_not_read_again(acme: Firm, house: House) -> None:
    before = await default_now(acme)
    async with statements(house) as heard:
        assert await default_now(acme) == before
    assert len(heard) == 1
    assert "flow" not in heard[0]


async def test_a_change_holds_for_the_next_order(shop: Shop, acme: Firm) -> None:
    await shop.order()
    path = f"/v1/order-configs/{(await default_now(acme)).public_id}"
    flow = (await acme.api.get(path)).json()["flow"]
    flow[0]["status"] = "Taken in"
    assert (await acme.api.patch(path, json={"flow": flow})).status_code == 200
    assert (await default_now(acme)).flow_version == 2
    config = {"status": "inactive"}
    assert (await acme.api.patch(path, json=config)).status_code == 200
    refused = await acme.api.post("/v1/orders", json={})
    assert (
        refused.json()["fields"][0]["message"]
        == "This order configuration is inactive. Choose another, or activate it."
    )


async def test_another_default_holds_for_the_next_order(shop: Shop, acme: Firm) -> None:
    before = await default_now(acme)
    flow = [{"code": "created", "next": ["done"]}, {"code": "done", "complete": True}]
    other = (await acme.api.post("/v1/order-configs", json={"name": "Post", "flow": flow})).json()
    for name, expected in ((other["id"], other["id"]), (None, before.public_id)):
        await acme.admin.patch("/int/v1/settings", json={"order_config": name})
        assert (await shop.order())["order_config"] == expected


def saying(config: OrderConfig, status: str) -> OrderConfigChange:
    """Call the first activity something else."""
    first, *others = config.flow
    return OrderConfigChange(flow=[msgspec.structs.replace(first, status=status), *others])


async def test_what_is_not_committed_holds_for_nobody_else(acme: Firm, house: House) -> None:
    before = await default_now(acme)
    with suppress(LookupError):
        async with house.database.transaction() as db:
            assert await default(db, acme) == before
            changed = await configs.change(db, before, saying(before, "Never"))
            assert await default(db, acme) == changed != before
            began = await configs.load_version(db, acme.uuid, before.uuid, changed.flow_version)
            assert began.flow == changed.flow
            raise LookupError
    # Another change counts the same versions.
    async with house.database.transaction() as db:
        await configs.change(db, before, saying(before, "Taken in"))
    after = await default_now(acme)
    assert after.flow[0].status == "Taken in"
    async with house.database.reading() as db:
        began = await configs.load_version(db, acme.uuid, after.uuid, after.flow_version)
    assert began.flow == after.flow
