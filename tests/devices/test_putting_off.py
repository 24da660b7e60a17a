"""While much comes in, what it says of the present is noted a moment later; none of it is lost."""

from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devices.gear import Gear, device, position
from pannier.accounts.company_settings.models import Bounds
from pannier.devices import effects, puttingoff, store
from pannier.devices.outcomes import Outcome, Put
from pannier.devices.readings import Reading
from pannier.devices.writer import Writer
from pannier.kit.clock import ManualClock
from stage import NOON, Firm, House

SAID = st.builds(
    lambda key, second, north, kind: (
        position(key, NOON - timedelta(seconds=second), latitude=52 + north / 1000)
        if kind == 1
        else position(key, NOON - timedelta(seconds=second), class_=1, kind=kind)
    ),
    st.integers(1, 5),
    st.integers(0, 20),
    st.integers(0, 500),
    st.sampled_from([1, 1, 2, 3]),
)


async def put_off(house: House, *puts: Put) -> Any:
    """Store puts as if much came in, and tell what is to be noted."""
    async with house.database.transaction() as db:
        await store.flush(db, puts, Bounds.of(house.settings), lambda _: True)
        return db.known[store.PUT_OFF]


def busy(house: House) -> Writer:
    """A writer to which a second device is too much."""
    return Writer(house.database, house.settings, most_noted=1, noted_a_second=0)


async def present(house: House, one: Gear) -> list[Any]:
    """Tell all that is known of a device at present."""
    return [
        await house.value(f"select jsonb_agg(to_jsonb(r) - 'device' - 'subject' order by {order})"
                          f" from {table} r where {name} = :device", device=one.uuid)
        for table, name, order in (
            ("device_states", "device", "device"),
            ("device_latest", "device", "kind"),
            ("whereabouts", "subject", "subject"),
        )
    ]  # fmt: skip


async def test_where_much_comes_in_the_present_is_noted_a_moment_later(
    acme: Firm, house: House
) -> None:
    one, writer = await device(acme), busy(house)
    assert await writer.put(one.own, [position(1, NOON - timedelta(hours=1))]) == Outcome(1, 0, [])
    last = "select last_event_at from device_states"
    assert await house.value(last) == NOON - timedelta(hours=1)
    assert await writer.put(one.own, [position(2)]) == Outcome(1, 0, [])
    assert await house.value("select count(*) from device_put_off") == 1
    await writer.close()
    assert await house.value(last) == NOON
    assert await house.value("select count(*) from device_put_off") == 0


async def test_what_was_put_off_by_somebody_who_fell_is_noted_by_the_worker(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    gateway, one, two = await device(acme, kind="gateway"), await device(acme), await device(acme)
    said = [position(1, speed=36.0), position(2, class_=1, kind=2, data={"rpm": 900})]
    through = gateway.own._replace(speaks_for_all=True)
    for each in (one, two):
        for reading in said:
            reading.device = each.public_id
        puts = [Put(through, said), Put(through, [position(9, name="nobody")])]
        if each is one:
            await put_off(house, *puts)
        else:
            async with house.database.transaction() as db:
                await store.flush(db, puts, Bounds.of(house.settings))
    bounds = Bounds.of(house.settings)
    assert not await puttingoff.step(house.database, bounds)
    assert await present(house, one) == [None] * 3
    clock.advance(seconds=6)
    assert await puttingoff.step(house.database, bounds)
    assert await present(house, one) == await present(house, two)
    backlog = "select count(*) from device_backlog where since = :noon and until = :noon"
    assert await house.value(backlog, noon=NOON) == 2
    assert not await puttingoff.step(house.database, bounds)


async def test_who_gave_only_a_sign_of_life_is_not_forgotten_either(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    one = await device(acme)
    await put_off(house, Put(one.own, []))
    clock.advance(seconds=6)
    assert await puttingoff.step(house.database, Bounds.of(house.settings))
    assert await house.value("select last_seen_at from device_states") == NOON


async def test_what_cannot_be_noted_holds_nobody_up_and_is_tried_again(
    acme: Firm, house: House, clock: ManualClock, monkeypatch: Any
) -> None:
    one, writer = await device(acme), busy(house)
    follow = effects.follow

    async def fails(*args: Any) -> int:
        if args[5:]:
            raise RuntimeError("It fell.")
        return await follow(*args)

    with monkeypatch.context() as patched:
        patched.setattr(effects, "follow", fails)
        await writer.put(one.own, [position(1, NOON - timedelta(hours=1))])
        await writer.put(one.own, [position(2)])
        await writer.close()
    assert await house.value("select count(*) from device_put_off") == 1
    clock.advance(seconds=6)
    assert await puttingoff.step(house.database, Bounds.of(house.settings))
    assert await house.value("select last_event_at from device_states") == NOON


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(said=st.lists(SAID, min_size=1, max_size=8), data=st.data())
async def test_however_much_is_put_off_and_whenever_noted_the_present_is_the_same(
    said: list[Reading], data: st.DataObject, acme: Firm, house: House
) -> None:
    once, bounds = {(each.occurred_at, each.kind): each for each in said}, Bounds.of(house.settings)
    straight, mixed = await device(acme), await device(acme)
    async with house.database.transaction() as db:
        await store.flush(db, [Put(straight.own, list(once.values()))], bounds)
    waiting = []
    for reading in data.draw(st.permutations([*once.values()])):
        if data.draw(st.booleans()):
            waiting.append(await put_off(house, Put(mixed.own, [reading])))
        else:
            async with house.database.transaction() as db:
                await store.flush(db, [Put(mixed.own, [reading])], bounds)
    waiting = data.draw(st.permutations(waiting))
    cut = data.draw(st.integers(0, len(waiting)))
    for some in (waiting[:cut], waiting[cut:]):
        if some:
            async with house.database.transaction() as db:
                await store.note(db, some, bounds)
    assert await present(house, mixed) == await present(house, straight)
    left = "select count(*) from device_put_off where batch = any(:batches)"
    assert await house.value(left, batches=[each.batch for each in waiting]) == 0
