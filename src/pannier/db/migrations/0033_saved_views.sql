-- The filters, sorting and layout of a list, saved by an operator under a name.

create table saved_views (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    operator uuid not null references operators on delete cascade,
    list_name text not null,
    name text not null,
    query text not null,
    shared boolean not null,
    is_default boolean not null,
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    updated_at timestamptz not null
        check (updated_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    version integer not null default 1
);
create index on saved_views (company, created_at, uuid);
create index on saved_views (operator);
