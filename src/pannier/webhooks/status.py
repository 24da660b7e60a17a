"""The backlog of webhooks that `/status` shows."""

from typing import Final

from pannier.web.metrics import MAX_COUNTED

# Number of queued deliveries, counted up to a bound, and the earliest due time among enabled
# endpoints.
BACKLOG: Final = f"""
    select (select count(*) from (select from webhook_queue limit {MAX_COUNTED}) q) as waiting,
           (select min(due_at) from webhook_lanes join webhooks on uuid = webhook
            where state = 'enabled' and deleted_at is null) as since"""
LATEST_ATTEMPT: Final = """
    select greatest((select max(started_at) from webhook_claims),
                    (select max(greatest(last_success_at, last_failure_at)) from webhook_health))"""
# Number of queued deliveries, counted up to a bound, and the time of the oldest one's event.
OLDEST: Final = f"""
    select count(*) as waiting, min(coalesce(e.created_at, d.created_at)) as since
    from (select delivery, event from webhook_queue limit {MAX_COUNTED}) q
    join webhook_deliveries d on d.uuid = q.delivery left join events e on e.uuid = q.event"""
