-- outside a transaction
-- What a driver did today.
create index concurrently if not exists tracking_statuses_by_driver on tracking_statuses
    (company, actor_id, created_at desc)
    where actor_kind = 'driver' and deleted_at is null;
