-- Returns of delivered orders. Both columns contain public ids of orders.
alter table orders add column return_of text;
alter table orders add column returns text[] not null default '{}';

-- The pieces that each return brings back. A row without an item is the whole of an order that has
-- no items.
create table returned_items (
    uuid uuid primary key,
    company uuid not null references companies,
    order_uuid uuid not null references orders,
    return_order uuid not null references orders,
    entity uuid references entities,
    quantity integer not null check (quantity > 0),
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
);
create index on returned_items (order_uuid);
create index on returned_items (return_order);
create index on returned_items (entity) where entity is not null;
