-- In an order without stops: whether the driver has to be at the pickup, and whether the steps there
-- are over.
alter table orders
    add column at_pickup boolean not null default false,
    add column collected boolean not null default false;
