-- outside a transaction
-- Lists of alerts by kind, by record, and of open ones.
create index concurrently if not exists alerts_by_kind on alerts
    (company, kind, raised_at, uuid);
create index concurrently if not exists alerts_by_subject on alerts
    (company, subject, raised_at, uuid);
create index concurrently if not exists alerts_open_by_time on alerts
    (company, raised_at, uuid) where closed_at is null;
create index concurrently if not exists alerts_open_by_kind on alerts
    (company, kind, raised_at, uuid) where closed_at is null;
