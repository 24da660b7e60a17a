-- Messages between dispatch and drivers: a thread for each driver and for each order.

create table driver_messages (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    driver uuid not null references drivers,
    -- The order may be deleted before its messages.
    order_uuid uuid,
    order_id text,
    sender text not null check (sender in ('driver', 'dispatch')),
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    body text not null,
    -- Chosen by the sender. A repeated request finds the message by it.
    client_uuid uuid,
    sent_at timestamptz not null
        check (sent_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    read_at timestamptz
        check (read_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    unique (company, client_uuid)
);
create index on driver_messages (company, created_at, uuid);
create index on driver_messages (driver, created_at, uuid);
create index on driver_messages (company, order_uuid, created_at, uuid)
    where order_uuid is not null;
create index on driver_messages (company, created_at, uuid)
    where read_at is null and sender = 'driver';
create index on driver_messages (driver, created_at, uuid)
    where read_at is null and sender = 'dispatch';
