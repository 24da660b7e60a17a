-- The triggers keep the internal ids of orders when a transaction commits. Otherwise each order with
-- a number that need not be unique would wait for the whole creation of the order before it.
create or replace function hold_order_internal_id() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        delete from order_internal_ids
        where company = old.company and internal_id = old.internal_id and order_uuid = old.uuid;
        if found then
            -- The internal id passes to another order that has it, preferably to one that was not
            -- canceled. The limit bounds the sort.
            insert into order_internal_ids (company, internal_id, order_uuid)
            select others.company, others.internal_id, others.uuid
            from (select o.company, o.internal_id, o.uuid, o.canceled_at from orders o
                  where o.company = old.company and o.internal_id = old.internal_id
                      and o.deleted_at is null and o.uuid <> old.uuid
                  limit 1000) others
            order by others.canceled_at is not null, others.uuid desc limit 1
            on conflict do nothing;
        end if;
    end if;
    if tg_op <> 'DELETE' and new.internal_id <> '' and new.deleted_at is null then
        insert into order_internal_ids (company, internal_id, order_uuid)
        values (new.company, new.internal_id, new.uuid)
        on conflict (company, internal_id) do update set order_uuid = excluded.order_uuid
        where order_internal_ids.order_uuid <> excluded.order_uuid;
    end if;
    return null;
end
$$;

drop trigger order_internal_id_added on orders;
drop trigger order_internal_id_changed on orders;
drop trigger order_internal_id_removed on orders;
create constraint trigger order_internal_id_added after insert on orders
    deferrable initially deferred
    for each row when (new.internal_id <> '') execute function hold_order_internal_id();
create constraint trigger order_internal_id_changed after update of internal_id, deleted_at on orders
    deferrable initially deferred
    for each row when (old.internal_id is distinct from new.internal_id
        or old.deleted_at is distinct from new.deleted_at)
    execute function hold_order_internal_id();
create constraint trigger order_internal_id_removed after delete on orders
    deferrable initially deferred
    for each row when (old.internal_id <> '') execute function hold_order_internal_id();
