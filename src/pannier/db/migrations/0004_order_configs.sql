-- Order configurations: the activity flow of a kind of order, every version of it kept.

create table order_configs (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    key text not null,
    name text not null,
    description text not null,
    status text not null check (status in ('active', 'inactive')),
    flow jsonb not null,
    subflows jsonb not null,
    flow_version integer not null,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create unique index order_configs_key on order_configs (company, key) where deleted_at is null;
create index on order_configs (company, created_at, uuid) where deleted_at is null;

-- Companies are given their default configuration when they are founded.
create table order_config_versions (
    order_config uuid not null references order_configs,
    number integer not null,
    company uuid not null references companies,
    flow jsonb not null,
    subflows jsonb not null,
    created_at timestamptz not null,
    primary key (order_config, number)
);
