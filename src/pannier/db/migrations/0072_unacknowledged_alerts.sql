-- outside a transaction
-- oldest version: 0.1.0
-- Count unread alerts without reading those that somebody has acknowledged.
create index concurrently if not exists alerts_unacknowledged
    on alerts (company, kind, raised_at desc, uuid desc)
    where closed_at is null and acknowledged_at is null;
