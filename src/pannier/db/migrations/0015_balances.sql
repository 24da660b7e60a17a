-- outside a transaction
-- Balances of existing transactions and orders, and the indexes of their filters.

-- In batches, so that no row stays locked. Repeating it changes nothing.
do $$
declare
    filled integer;
begin
    loop
        update transactions set balance = greatest(0, amount - amount_paid)
        where uuid in (select uuid from transactions
                       where balance = 0 and status in ('unpaid', 'partially_paid')
                         and amount > amount_paid limit 1000);
        get diagnostics filled = row_count;
        commit;
        exit when filled = 0;
    end loop;
    loop
        update orders o set currency = t.currency, balance = t.balance,
            payment_status = case
                when t.is_refunded then 'refunded'
                when not t.is_owed then 'none'
                when t.paid = 0 and t.balance > 0 then 'unpaid'
                when t.balance > 0 then 'partially_paid'
                else 'paid' end
        from (
            select order_uuid, min(currency) as currency,
                sum(balance) filter (where voided_at is null) as balance,
                sum(amount_paid) filter (where voided_at is null) as paid,
                bool_or(voided_at is null and status <> 'refunded') as is_owed,
                sum(amount_paid) > 0 and sum(amount_paid) = sum(amount_refunded) as is_refunded
            from transactions
            where order_uuid in (
                select uuid from orders where currency is null and transaction is not null limit 1000)
            group by order_uuid) t
        where o.uuid = t.order_uuid;
        get diagnostics filled = row_count;
        commit;
        exit when filled = 0;
    end loop;
end $$;

create index concurrently if not exists orders_payment_status
    on orders (company, payment_status, created_at, uuid) where deleted_at is null;
create index concurrently if not exists orders_balance
    on orders (company, created_at, uuid) where balance <> 0 and deleted_at is null;
create index concurrently if not exists transactions_balance
    on transactions (company, customer) where balance <> 0;
