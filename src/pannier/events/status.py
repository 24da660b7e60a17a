"""The backlog of events that `/status` shows."""

from typing import Final

from pannier.web.metrics import MAX_COUNTED

# Number of events waiting for the relay, counted up to a bound, and the time of the oldest.
BACKLOG: Final = f"""
    select count(*) as waiting, min(created_at) as since
    from (select created_at from event_queue join events on uuid = event
          order by position limit {MAX_COUNTED}) waiting"""
