-- The keys of orders that were created in batches. They hold hashes only. `order_id` is null only
-- within the transaction that creates the order.
create table order_batch_keys (
    company uuid not null references companies,
    id bytea not null,
    fingerprint bytea not null,
    order_id text,
    expires_at timestamptz not null
        check (expires_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    primary key (company, id)
);
create index on order_batch_keys (expires_at);
