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
    "Queued plans of the whole installation. Counted up to 10,000.",
)
_oldest = make_gauge("pannier_plans_oldest_seconds", "Age of the oldest queued plan in seconds.")
count: Final = make_backlog_refresh(BACKLOG, _waiting, _oldest)
