-- outside a transaction
-- Open orders that were dispatched without a price, or wait for one.

create index concurrently if not exists orders_unpriced on orders (company, uuid)
    where price_status = 'unpriced' and transaction is null
        and (dispatched_at is not null or dispatch_after is not null)
        and completed_at is null and canceled_at is null and deleted_at is null;
