"""How long data are kept: as its company wants, and no longer than the installation allows."""

from typing import Final, Literal

Kind = Literal["events", "messages", "webhook_log"]
SKIPPING: Final = "for update skip locked"


def old(kind: Kind, table: str, *, that: str, lock: str = SKIPPING) -> str:
    """Write the statement that finds a batch of rows older than their company wants them kept.

    It goes by the index on company and time, company by company, and takes `now`, `most` (how long
    the installation keeps them) and `batch`. `that` is what else must hold of a row `t`.
    """
    return f"""
        select old.uuid from companies c cross join lateral (
            select t.uuid from {table} t
            where t.company = c.uuid and t.created_at < :now::timestamptz - least(
                    :most::interval, make_interval(days => (c.retention->>'{kind}')::integer))
              and {that}
            order by t.created_at limit :batch {lock}) old
        limit :batch"""
