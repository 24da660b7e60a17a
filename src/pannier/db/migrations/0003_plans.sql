-- Plans: which driver does which orders, in which sequence, and when.

create table plans (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    state text not null
        check (state in ('queued', 'running', 'done', 'failed', 'canceled', 'accepted')),
    day date not null,
    aim text not null,
    max_seconds integer not null,
    -- The plan whose locked orders this one keeps with their drivers.
    based_on uuid,
    -- Orders that a dispatcher locked, by public id.
    locked text[] not null default '{}',
    -- Per cent.
    progress integer not null default 0,
    -- The plan in figures, and the assignment before it.
    summary jsonb,
    present jsonb,
    failure jsonb,
    -- When the orders were read.
    read_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    accepted_at timestamptz,
    reverted_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    -- The request, the problem and its solution. Large, so lists do not read them.
    request jsonb not null default '{}',
    problem bytea,
    result bytea
);
create index on plans (company, created_at, uuid);
create index on plans (company, state, created_at, uuid);
create index on plans (company, day, created_at, uuid);
create index on plans (created_at);

-- Plans to make. `due_at` moves ahead while a worker makes one.
create table plan_runs (
    plan uuid primary key references plans on delete cascade,
    company uuid not null references companies,
    attempts integer not null default 0,
    due_at timestamptz not null
);
create index on plan_runs (company, due_at);

-- Metres and seconds from a point of a plan to all others, as 32-bit integers. -1 is no road.
create table plan_roads (
    plan uuid not null references plans on delete cascade,
    company uuid not null references companies,
    profile text not null,
    point integer not null,
    distances bytea not null,
    times bytea not null,
    primary key (plan, profile, point)
);

-- The stops of accepted plans, in the sequence of each driver.
create table planned_stops (
    uuid uuid primary key,
    company uuid not null references companies,
    plan uuid not null,
    day date not null,
    driver uuid not null references drivers,
    order_uuid uuid not null references orders,
    -- Null is the pickup or the dropoff of an order without stops.
    waypoint uuid,
    type text not null check (type in ('pickup', 'dropoff')),
    position integer not null,
    arrives_at timestamptz not null,
    begins_at timestamptz not null,
    leaves_at timestamptz not null,
    created_at timestamptz not null
);
create index on planned_stops (driver, day, position);
create index on planned_stops (order_uuid);
create index on planned_stops (created_at);

-- Times outside Python's calendar would break every list that contains them, so all columns refuse
-- them.

-- allowed unknown: all tables are new, so nobody waits.
do $$
declare
    moments record;
begin
    for moments in
        select table_name as name, string_agg(
            format('add check (%I between ''0001-01-01 00:00:00+00'' '
                   'and ''9999-12-31 23:59:59.999999+00'')', column_name), ', ') as checks
        from information_schema.columns
        where table_schema = current_schema() and table_name in ('plans', 'plan_runs', 'planned_stops')
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
