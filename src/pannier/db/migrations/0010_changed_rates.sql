-- Companies whose rates have changed: their dispatched orders without a price are priced again.

create table changed_rates (
    company uuid primary key references companies,
    -- The last order that was handled.
    after uuid not null default '00000000-0000-0000-0000-000000000000',
    due_at timestamptz not null check (due_at between '0001-01-01 00:00:00+00'
        and '9999-12-31 23:59:59.999999+00')
);
