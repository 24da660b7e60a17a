-- Orders that are made again and again, saved under a name.

create table order_templates (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    name text not null,
    -- The request for an order, with local times.
    body jsonb not null,
    -- The contacts and vendors in the body, by public id.
    partners text[] not null,
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    updated_at timestamptz not null
        check (updated_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    version integer not null default 1
);
create index on order_templates (company, created_at, uuid);
create index on order_templates (company, name, uuid);
-- For the erasure and export of a person.
create index on order_templates using gin (partners);
