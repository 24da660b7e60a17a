-- Photos of messages between dispatch and drivers.
create table driver_message_photos (
    uuid uuid primary key,
    company uuid not null references companies,
    message uuid not null references driver_messages,
    file uuid not null references files,
    thumbnail uuid not null references files,
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
);
create index on driver_message_photos (message, created_at, uuid);
