-- Which order a company's internal id refers to. Without a reference to `orders`, so that orders can
-- be partitioned.
create table order_internal_ids (
    company uuid not null references companies,
    internal_id text not null,
    order_uuid uuid not null,
    primary key (company, internal_id)
);

-- Null is the default: internal ids are unique.
alter table companies add column unique_internal_ids boolean;

-- Triggers keep the table complete while the previous release writes orders. If several orders have
-- the same internal id, it refers to the order that took it last.
create function hold_order_internal_id() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        delete from order_internal_ids
        where company = old.company and internal_id = old.internal_id and order_uuid = old.uuid;
        if found then
            -- The internal id passes to another order that has it. The limit bounds the sort.
            insert into order_internal_ids (company, internal_id, order_uuid)
            select others.company, others.internal_id, others.uuid
            from (select o.company, o.internal_id, o.uuid from orders o
                  where o.company = old.company and o.internal_id = old.internal_id
                      and o.deleted_at is null and o.uuid <> old.uuid
                  limit 1000) others
            order by others.uuid desc limit 1
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

create trigger order_internal_id_added after insert on orders
    for each row when (new.internal_id <> '') execute function hold_order_internal_id();
create trigger order_internal_id_changed after update of internal_id, deleted_at on orders
    for each row when (old.internal_id is distinct from new.internal_id
        or old.deleted_at is distinct from new.deleted_at)
    execute function hold_order_internal_id();
create trigger order_internal_id_removed after delete on orders
    for each row when (old.internal_id <> '') execute function hold_order_internal_id();
