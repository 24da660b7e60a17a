"""Heartbeats of workers and of API processes.

Heartbeats carry the database's time. One from the future does not count: it was written before
the database's clock was set back, or by a program that used its own clock.
"""

from datetime import datetime
from typing import Final, Literal

import msgspec

IS_ALIVE: Final = "beat_at <= pannier_now() + interval '5 seconds'"
LAST_BEAT: Final = f"select max(beat_at) from heartbeats where {IS_ALIVE}"
BEAT: Final = """
    insert into heartbeats (worker, started_at, beat_at, secret_fingerprint, version)
    values (:worker, :started_at, pannier_now(), :secret, :version)
    on conflict (worker) do update set beat_at = excluded.beat_at"""
API_BEAT: Final = """
    insert into api_heartbeats (process, started_at, beat_at, version)
    values (:process, :started_at, pannier_now(), :version)
    on conflict (process) do update
        set beat_at = excluded.beat_at, version = excluded.version"""
END_API: Final = "delete from api_heartbeats where process = :process"
# All workers, each with whether it sent a heartbeat within the interval `within`.
WORKERS: Final = f"""
    select worker as name, started_at, beat_at,
           {IS_ALIVE} and beat_at >= pannier_now() - :within::interval as alive
    from heartbeats order by worker"""
# The number of living workers whose secret differs from `ours`.
WITH_OTHER_SECRET: Final = f"""
    select count(*) from heartbeats
    where beat_at > pannier_now() - :within::interval and {IS_ALIVE}
      and secret_fingerprint <> :ours"""
# All processes that sent a heartbeat within the interval $1.
PROCESSES: Final = f"""
    select kind, name, coalesce(version, '') as version, started_at from (
        select 'worker' as kind, worker as name, version, started_at, beat_at from heartbeats
        union all select 'api', process, version, started_at, beat_at from api_heartbeats) beats
    where beat_at > pannier_now() - $1::interval and {IS_ALIVE} order by kind, name"""
_IS_OLD: Final = f"beat_at < pannier_now() - interval '1 day' or not ({IS_ALIVE})"
DELETE_OLD: Final = f"delete from heartbeats where {_IS_OLD}"
DELETE_OLD_API: Final = f"delete from api_heartbeats where {_IS_OLD}"


class Process(msgspec.Struct):
    """A living process. A release that records no versions has the version `""`."""

    kind: Literal["api", "worker"]
    name: str
    version: str
    started_at: datetime
