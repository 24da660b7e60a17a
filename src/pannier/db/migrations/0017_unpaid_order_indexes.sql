-- outside a transaction
-- Orders with a deadline for their payment, and those that wait for a price.

create index concurrently if not exists orders_payment_deadline on orders (payment_deadline, uuid)
    where payment_deadline is not null;

-- An order can have a charge before it has a price.
drop index concurrently if exists orders_unpriced;
create index concurrently if not exists orders_without_price on orders (company, uuid)
    where price_status = 'unpriced' and service_quote is null
        and (dispatched_at is not null or dispatch_after is not null)
        and completed_at is null and canceled_at is null and deleted_at is null;
