-- ETAs of drivers at all their remaining stops.

-- Drivers whose ETAs are kept up to date; `due_at` moves ahead while a worker computes them.
create table eta_runs (
    driver uuid primary key references drivers,
    company uuid not null references companies,
    attempts integer not null default 0,
    due_at timestamptz not null
);
create index on eta_runs (company, due_at);

-- Only the worker writes it. No index but these, so that an update moves no index entry.
create table driver_etas (
    driver uuid primary key references drivers,
    company uuid not null references companies,
    -- The time of the position from which the ETAs were computed. They expire with it.
    located_at timestamptz not null,
    computed_at timestamptz not null,
    -- In the sequence of the visits.
    stops jsonb not null,
    -- Orders with a stop whose ETA is after its time window, or shortly before its end.
    late uuid[] not null,
    at_risk uuid[] not null
) with (fillfactor = 70);
create index on driver_etas (company);

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
        where table_schema = current_schema() and table_name in ('eta_runs', 'driver_etas')
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
