-- outside a transaction
-- The internal ids of existing orders, from the newest order to the oldest. Of several orders with
-- the same internal id, the newest one holds it; the others keep their text.
do $$
declare
    next_uuid uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    batch uuid[];
begin
    loop
        select array_agg(newest.uuid order by newest.uuid desc) into batch
        from (select o.uuid from orders o where o.uuid < next_uuid
              order by o.uuid desc limit 2000) newest;
        exit when batch is null;
        insert into order_internal_ids (company, internal_id, order_uuid)
        select distinct on (o.company, o.internal_id) o.company, o.internal_id, o.uuid
        from orders o
        where o.uuid = any(batch) and o.internal_id <> '' and o.deleted_at is null
        order by o.company, o.internal_id, o.uuid desc
        on conflict do nothing;
        commit;
        next_uuid := batch[array_length(batch, 1)];
    end loop;
end
$$;
