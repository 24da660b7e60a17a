"""Both ways into the table of device events tell the same, until one of them goes."""

from contextlib import suppress

import pytest

from devices.gear import device, flush, position
from devices.test_store import Undone
from pannier.devices import lookup, store
from pannier.devices.outcomes import Put
from pannier.devices.store import Entry, Key
from stage import Firm, House


@pytest.mark.parametrize("known", [(), (0,), (1, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("count", [1, 2, 4])
async def test_both_ways_into_the_table_tell_the_same(
    acme: Firm, house: House, count: int, known: tuple[int, ...]
) -> None:
    one = await device(acme)
    said = [position(key, data={"n": key}) for key in range(4)]
    await flush(house, Put(one.own, [said[each] for each in known]))
    told = list[list[Key]]()
    for way in (store._store, store._stored):  # noqa: SLF001 - both, and only here
        with suppress(Undone):
            async with house.database.transaction() as db:
                puts = [Put(one.own, said[:count])]
                found = await lookup.find(db, puts, [set()])
                [gear] = [found.device(puts[0], None)]
                assert gear is not None
                entries = [Entry.of(0, gear, reading) for reading in said[:count]]
                told.append([entry.key for entry in await way(db, entries, found)])
                raise Undone
    assert told[0] == told[1]
    assert len(told[0]) == sum(each not in known for each in range(count))
