"""The feed's horizon: below it, every transaction of this database has ended.

PostgreSQL's snapshots know the running transactions of all databases of a server. A transaction in
another database cannot write events here, so it must not hold up the feed.
"""

from datetime import timedelta
from typing import Final

import msgspec

from pannier.db import Db
from pannier.web.metrics import make_gauge

# The oldest running transaction id of this database, or the next id if none is running. A
# transaction of the snapshot is ignored only if its session is seen in another database. One that
# has just ended is not seen at all, so it counts. A standby's snapshot does not list transactions.
HORIZON: Final = """(
    select case when pg_is_in_recovery() then pg_snapshot_xmin(snapshot)::text::bigint
        else coalesce((
            select min(running.xid::text::bigint) from pg_snapshot_xip(snapshot) running (xid)
            where running.xid::xid not in (
                select backend_xid from pg_stat_activity
                where backend_xid is not null and datname <> current_database()
                union all select transaction from pg_prepared_xacts
                where database <> current_database())),
            pg_snapshot_xmax(snapshot)::text::bigint) end
    from pg_current_snapshot() snapshot)"""

# The session that holds up the horizon, and for how long its transaction has been open. Its start
# is hidden from roles that may not see the role's sessions.
BLOCKER: Final = """
    select pid, name, clock_timestamp() - since as age from (
        select pid, application_name as name, xact_start as since, backend_xid as xid
        from pg_stat_activity
        where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()
        union all
        select null, 'prepared transaction ' || gid, prepared, transaction
        from pg_prepared_xacts where database = current_database()) running
    order by age(xid) desc limit 1"""

_horizon_age = make_gauge(
    "pannier_device_feed_horizon_seconds",
    "Age of the oldest open transaction with changes, which holds up the feed of device events.",
)


class Blocker(msgspec.Struct):
    """An open transaction with changes. `pid` is None if it is prepared."""

    pid: int | None
    name: str
    age: timedelta | None


async def measure(db: Db) -> None:
    """Update the gauge of the horizon's age."""
    blocker = await db.find(Blocker, BLOCKER)
    age = timedelta() if blocker is None or blocker.age is None else blocker.age
    _horizon_age.set(max(age.total_seconds(), 0.0))
