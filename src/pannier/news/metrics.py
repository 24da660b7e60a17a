"""Prometheus metrics of the queue of news."""

from typing import Final

from pannier.web.metrics import MAX_COUNTED, make_backlog_refresh, make_gauge

# Number of queued events, counted up to a bound, and the time of the oldest. Steps from company to
# company by the index.
BACKLOG: Final = f"""
    with recursive waiting as (
        (select company, event from news_queue order by company, position limit 1)
        union all
        select next.company, next.event from waiting cross join lateral (
            select company, event from news_queue where company > waiting.company
            order by company, position limit 1) next),
    oldest as (select event from waiting limit {MAX_COUNTED})
    select (select count(*) from (select from news_queue limit {MAX_COUNTED}) counted) as waiting,
        (select min(created_at) from oldest join events on uuid = event) as since"""

_waiting = make_gauge(
    "pannier_news_waiting",
    "Queued events whose news is not sent yet, of the whole installation; counted up to 10,000.",
)
_oldest = make_gauge(
    "pannier_news_oldest_seconds",
    "Age of the oldest queued event whose news is not sent yet.",
)
count: Final = make_backlog_refresh(BACKLOG, _waiting, _oldest)
