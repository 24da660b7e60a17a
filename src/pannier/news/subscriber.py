"""Hears what happens to orders, and has those who wait for them told.

The relay waits for its subscribers, and everybody else's events for the relay. So here is only
written down what is to be told; `teller.py` tells it.
"""

from collections.abc import Sequence
from typing import Final

from pannier.db import Db
from pannier.events.models import Event
from pannier.news import hearing

CHANNEL: Final = "pannier_news"  # rung when there is something to tell


async def subscriber(db: Db, events: Sequence[Event]) -> None:
    """Write down what may be news to somebody, by one statement however much it is."""
    told = [event for event in events if hearing.matters(event, db.now)]
    if not told:
        return
    await db.execute(
        """insert into news_queue (company, event)
           select company, event
           from unnest(:companies::uuid[], :events::uuid[]) with ordinality
               as told (company, event, place) order by place""",
        companies=[event.company for event in told],
        events=[event.uuid for event in told],
    )
    db.ring(CHANNEL)
