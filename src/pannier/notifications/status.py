"""What `/status` shows of messages."""

from typing import Final

from pannier.web.metrics import COUNTED

# Messages that wait to be sent, counted up to a bound, and since when the oldest is due.
WAITING: Final = f"""
    select count(*) as waiting, min(due_at) as since
    from (select due_at from messages where state = 'due'
          order by channel, secret, company, due_at limit {COUNTED}) waiting"""
