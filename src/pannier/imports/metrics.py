"""Prometheus metrics of the tasks of imports."""

from typing import Final

from pannier.web.metrics import MAX_COUNTED, make_backlog_refresh, make_gauge

# The number of rows is small, because it is limited for each company.
BACKLOG: Final = f"""
    with unfinished as (select created_at from import_runs limit {MAX_COUNTED})
    select count(*) as waiting, min(created_at) as since from unfinished"""

_waiting = make_gauge(
    "pannier_imports_waiting",
    "Queued and running tasks of imports in the whole installation. Counted up to 10,000.",
)
_oldest = make_gauge(
    "pannier_imports_oldest_seconds", "Age of the oldest unfinished task of an import in seconds."
)
count: Final = make_backlog_refresh(BACKLOG, _waiting, _oldest)
