"""Worker heartbeats.

Heartbeats carry the database's time. One from the future does not count: it was written before
the database's clock was set back, or by a program that used its own clock.
"""

from typing import Final

IS_ALIVE: Final = "beat_at <= pannier_now() + interval '5 seconds'"
LAST_BEAT: Final = f"select max(beat_at) from heartbeats where {IS_ALIVE}"
BEAT: Final = """
    insert into heartbeats (worker, started_at, beat_at, secret_fingerprint)
    values (:worker, :started_at, pannier_now(), :secret)
    on conflict (worker) do update set beat_at = excluded.beat_at"""
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
DELETE_OLD: Final = f"""
    delete from heartbeats where beat_at < pannier_now() - interval '1 day' or not ({IS_ALIVE})"""
