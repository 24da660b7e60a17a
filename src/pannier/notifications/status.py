"""The backlog of messages, for `/status`."""

from typing import Final

from pannier.web.metrics import MAX_COUNTED

# Number of due messages, counted up to a bound, and the due time of the oldest.
BACKLOG: Final = f"""
    select count(*) as waiting, min(due_at) as since
    from (select due_at from messages where state = 'due'
          order by channel, secret, company, due_at limit {MAX_COUNTED}) waiting"""
