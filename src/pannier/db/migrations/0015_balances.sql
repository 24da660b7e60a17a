-- outside a transaction
-- Balances of existing transactions and orders, and the indexes of their filters.

-- In batches by key, so that no row stays locked and each batch uses the indexes. Repeating it
-- changes nothing.
do $$
declare
    last_uuid uuid;
    batch uuid[];
begin
    last_uuid := '00000000-0000-0000-0000-000000000000';
    loop
        batch := array(select uuid from transactions where uuid > last_uuid
                       order by uuid limit 1000);
        exit when cardinality(batch) = 0;
        last_uuid := batch[cardinality(batch)];
        update transactions set balance = amount - amount_paid
        where uuid = any(batch) and balance = 0 and amount > amount_paid
          and status in ('unpaid', 'partially_paid', 'partially_refunded');
        commit;
    end loop;
    last_uuid := '00000000-0000-0000-0000-000000000000';
    loop
        batch := array(select uuid from transactions where uuid > last_uuid
                       order by uuid limit 1000);
        exit when cardinality(batch) = 0;
        last_uuid := batch[cardinality(batch)];
        -- All transactions of the batch's orders, in the currency of the latest that is owed.
        update orders o set currency = t.currency, balance = t.balance,
            payment_status = t.payment_status
        from (
            select l.order_uuid, l.currency, sum(each.balance) as balance,
                case
                    when sum(each.balance) > 0 and coalesce(sum(each.amount_paid)
                        filter (where each.voided_at is null and each.status <> 'refunded'), 0) > 0
                        then 'partially_paid'
                    when sum(each.balance) > 0 then 'unpaid'
                    when bool_or(each.voided_at is null and each.status <> 'refunded'
                                 and each.amount > 0) then 'paid'
                    when sum(each.amount_refunded) > 0 then 'refunded'
                    else 'none' end as payment_status
            from (
                select distinct on (company, order_uuid) company, order_uuid, currency
                from transactions
                where (company, order_uuid) in (
                    select company, order_uuid from transactions where uuid = any(batch))
                order by company, order_uuid, voided_at is null and status <> 'refunded' desc,
                    created_at desc, uuid desc) l
            join transactions each on each.company = l.company
                and each.order_uuid = l.order_uuid and each.currency = l.currency
            group by l.order_uuid, l.currency) t
        where o.uuid = t.order_uuid and (o.currency, o.balance, o.payment_status)
            is distinct from (t.currency, t.balance, t.payment_status);
        commit;
    end loop;
end $$;

create index concurrently if not exists orders_payment_status
    on orders (company, payment_status, created_at, uuid) where deleted_at is null;
create index concurrently if not exists orders_balance
    on orders (company, created_at, uuid) where balance <> 0 and deleted_at is null;
create index concurrently if not exists transactions_balance
    on transactions (company, customer) where balance <> 0;
