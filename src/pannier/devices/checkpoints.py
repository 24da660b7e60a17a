"""Checkpoints: snapshots of a device's rule state at points of its own time.

A *node* is the state after all positions up to a moment. The latest node is the head, from which
new positions continue. Older nodes are kept for late positions, and become sparser with age.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.devices.rules.fold import RuleState

# Number of positions after which the head is also saved as a checkpoint.
POSITIONS_PER_CHECKPOINT: Final = 250
# Pairs of (age, spacing) by the device's own time: checkpoints up to that age keep one per spacing.
# Older ones are dropped.
SPACING_BY_AGE: Final[Sequence[tuple[timedelta, timedelta]]] = (
    (timedelta(hours=1), timedelta(minutes=10)),
    (timedelta(days=1), timedelta(hours=4)),
    (timedelta(days=30), timedelta(days=2)),
    (timedelta(days=400), timedelta(days=30)),
)
EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Node(msgspec.Struct, frozen=True):
    """The state after all positions up to a moment."""

    at: datetime
    state: RuleState


class HeadNode(Node, frozen=True):
    """The state after the last position, and the number of positions since a checkpoint."""

    positions: int = 0


# The state before the first position.
INITIAL_HEAD: Final = HeadNode(EPOCH, RuleState())


class _HeadRow(msgspec.Struct):
    device: UUID
    at: datetime
    state: RuleState
    positions: int


class _NeighbourRow(msgspec.Struct):
    device: UUID
    before_at: datetime | None
    before_state: RuleState | None
    after_at: datetime | None
    after_state: RuleState | None


class NodeToSave(msgspec.Struct):
    """A node of a device that is to be saved."""

    company: UUID
    device: UUID
    node: Node


def list_surplus(times: Sequence[datetime]) -> list[datetime]:
    """Return the times of checkpoints to delete. The latest of each interval stays."""
    newest_time = max(times, default=EPOCH)
    latest_by_interval = {_interval_key(moment, newest_time): moment for moment in sorted(times)}
    latest_by_interval.pop(None, None)
    return sorted(set(times) - set(latest_by_interval.values()))


def _interval_key(moment: datetime, newest_time: datetime) -> tuple[timedelta, int] | None:
    for age, width in SPACING_BY_AGE:
        if newest_time - moment <= age:
            return width, (moment - EPOCH) // width
    return None


async def load_heads(db: Db, devices: Sequence[UUID]) -> dict[UUID, HeadNode]:
    """Load the heads of devices. A device without one gets the initial state."""
    rows = await db.fetch_all(
        _HeadRow,
        "select device, at, state, positions from device_folds where device = any(:devices)",
        devices=devices,
    )
    heads = {row.device: HeadNode(row.at, row.state, row.positions) for row in rows}
    return {device: heads.get(device, INITIAL_HEAD) for device in devices}


async def load_nodes_around(
    db: Db, device_moments: Sequence[tuple[UUID, datetime]]
) -> dict[UUID, tuple[Node, Node | None]]:
    """Load, for each device and moment, the checkpoint before it and the one at or after it."""
    rows = await db.fetch_all(
        _NeighbourRow,
        """select j.device, b.at as before_at, b.state as before_state,
                  a.at as after_at, a.state as after_state
           from unnest(:devices::uuid[], :moments::timestamptz[]) as j (device, moment)
           left join lateral (
               select at, state from device_checkpoints c
               where c.device = j.device and c.at < j.moment order by c.at desc limit 1) b on true
           left join lateral (
               select at, state from device_checkpoints c
               where c.device = j.device and c.at >= j.moment order by c.at limit 1) a on true""",
        devices=[device for device, _ in device_moments],
        moments=[moment for _, moment in device_moments],
    )
    return {
        row.device: (_to_node(row.before_at, row.before_state) or INITIAL_HEAD,
                     _to_node(row.after_at, row.after_state))
        for row in rows
    }  # fmt: skip


def _to_node(moment: datetime | None, state: RuleState | None) -> Node | None:
    return None if moment is None or state is None else Node(moment, state)


async def save_heads(db: Db, saves: Sequence[NodeToSave]) -> None:
    if saves:
        await db.execute(
            """insert into device_folds as f (device, company, at, state, positions)
               select * from unnest(:devices::uuid[], :companies::uuid[], :times::timestamptz[],
                                    :states::jsonb[], :positions::integer[])
               on conflict (device) do update
               set at = excluded.at, state = excluded.state, positions = excluded.positions""",
            positions=[
                save.node.positions if isinstance(save.node, HeadNode) else 0 for save in saves
            ],
            **_to_columns(saves),
        )


async def save(db: Db, saves: Sequence[NodeToSave]) -> None:
    """Save checkpoints, and delete the surplus ones."""
    if not saves:
        return
    await db.execute(
        """insert into device_checkpoints (device, company, at, state)
           select * from unnest(:devices::uuid[], :companies::uuid[], :times::timestamptz[],
                                :states::jsonb[])
           on conflict (device, at) do update set state = excluded.state""",
        **_to_columns(saves),
    )
    devices = sorted({save.device for save in saves})
    saved_rows = await db.fetch_tuples(
        "select device, at from device_checkpoints where device = any(:devices) order by 1, 2",
        devices=devices,
    )
    # A checkpoint that was just saved stays, because the next run continues from it.
    new_keys = {(save.device, save.node.at) for save in saves}
    surplus_checkpoints = [
        (device, moment)
        for device, rows in groupby(saved_rows, lambda row: row[0])
        for moment in list_surplus([moment for _, moment in rows])
        if (device, moment) not in new_keys
    ]
    await _delete_checkpoints(db, surplus_checkpoints)


async def _delete_checkpoints(db: Db, checkpoints: Sequence[tuple[UUID, datetime]]) -> None:
    if checkpoints:
        await db.execute(
            """delete from device_checkpoints c
               using unnest(:devices::uuid[], :times::timestamptz[]) as g (device, at)
               where c.device = g.device and c.at = g.at""",
            devices=[device for device, _ in checkpoints],
            times=[moment for _, moment in checkpoints],
        )


def _to_columns(saves: Sequence[NodeToSave]) -> dict[str, list[object]]:
    sorted_saves = sorted(saves, key=lambda save: (save.device, save.node.at))
    return {
        "devices": [save.device for save in sorted_saves],
        "companies": [save.company for save in sorted_saves],
        "times": [save.node.at for save in sorted_saves],
        "states": [save.node.state for save in sorted_saves],
    }
