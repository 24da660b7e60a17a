-- outside a transaction
-- The figures of a day: canceled orders, failed attempts, and issues that are open.
create index concurrently if not exists orders_canceled on orders (company, canceled_at, uuid)
    where canceled_at is not null and deleted_at is null;
create index concurrently if not exists delivery_attempts_received on delivery_attempts
    (company, created_at) where deleted_at is null;
create index concurrently if not exists issues_open on issues (company, created_at, uuid)
    where resolved_at is null and deleted_at is null;
