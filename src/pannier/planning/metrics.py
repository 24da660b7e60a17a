"""Prometheus metrics of the queue of plans."""

from typing import Final

from pannier.web.metrics import MAX_COUNTED, make_backlog_refresh, make_gauge

# The number of rows is small, because it is limited for each company.
BACKLOG: Final = f"""
    with queued as (
        select p.created_at from plan_runs r join plans p on p.uuid = r.plan
        where p.state = 'queued' limit {MAX_COUNTED})
    select count(*) as waiting, min(created_at) as since from queued"""

_waiting = make_gauge(
    "pannier_plans_waiting",
    "Plans that no worker has begun to make, of the whole installation; counted up to 10,000.",
)
_oldest = make_gauge(
    "pannier_plans_oldest_seconds", "Age of the oldest plan that no worker has begun to make."
)
count: Final = make_backlog_refresh(BACKLOG, _waiting, _oldest)
