"""The subscriber that queues events for news.

All events wait for the relay, and the relay waits for its subscribers. So this one only writes a
queue, which `processor.py` processes.
"""

from collections.abc import Sequence
from typing import Final

from pannier.db import Db
from pannier.events.models import Event
from pannier.news import event_handler

CHANNEL: Final = "pannier_news"  # notified when an event was queued


async def queue_events(db: Db, events: Sequence[Event]) -> None:
    """Queue the events that may be news, with one statement."""
    relevant_events = [event for event in events if event_handler.is_relevant(event, db.now)]
    if not relevant_events:
        return
    await db.execute(
        """insert into news_queue (company, event)
           select company, event
           from unnest(:companies::uuid[], :events::uuid[]) with ordinality
               as queued (company, event, position) order by position""",
        companies=[event.company for event in relevant_events],
        events=[event.uuid for event in relevant_events],
    )
    db.notify(CHANNEL)
