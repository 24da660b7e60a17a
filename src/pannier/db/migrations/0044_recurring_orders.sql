-- Rules by which the worker creates orders from templates, and what happened on each day.

create table recurring_orders (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    name text not null,
    -- Only an ended one outlives its template.
    template uuid references order_templates on delete set null,
    rule text not null,
    starts_on date not null,
    lead_days integer not null,
    paused_at timestamptz
        check (paused_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    ended_at timestamptz
        check (ended_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    next_day date,
    due_at timestamptz
        check (due_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    updated_at timestamptz not null
        check (updated_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    version integer not null default 1
);
create index on recurring_orders (company, created_at, uuid);
create index on recurring_orders (company, name, uuid);
create index on recurring_orders (template);
create index on recurring_orders (due_at, uuid) where due_at is not null;

create table recurring_days (
    uuid uuid primary key,
    company uuid not null references companies,
    recurring_order uuid not null references recurring_orders on delete cascade,
    day date not null,
    state text not null,
    order_id text,
    reason text,
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    unique (recurring_order, day)
);
create index on recurring_days (company, recurring_order, day, uuid);
