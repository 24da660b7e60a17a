-- Simulated drivers of test companies. At most one simulation per order is kept.

create table simulations (
    uuid uuid primary key,
    company uuid not null references companies,
    order_uuid uuid not null unique references orders on delete cascade,
    driver uuid not null references drivers,
    speed double precision,
    outcome text not null,
    steps jsonb not null,
    position integer not null,
    latitude double precision,
    longitude double precision,
    step_started_at timestamptz not null
        check (step_started_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    state text not null,
    reason text,
    due_at timestamptz
        check (due_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    attempts integer not null default 0,
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    finished_at timestamptz
        check (finished_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
);
create index on simulations (company) where state = 'running';
create index on simulations (due_at, uuid) where due_at is not null;
create index on simulations (finished_at) where finished_at is not null;
create index on simulations (driver);
