-- Figures of trips, costs, webhooks and devices by company days; see `report_days`.

-- Up to which time records of a company were deleted when they expired. Sums of earlier records
-- can no longer be computed again, so they stay.
create table retention_marks (
    company uuid not null references companies,
    source text not null,
    deleted_until timestamptz not null,
    primary key (company, source)
);

-- Metres, and seconds on trips with the short stops between them.
create table report_driver_trips (
    company uuid not null references companies,
    day date not null,
    driver uuid not null references drivers,
    trips bigint not null,
    distance bigint not null,
    worked bigint not null,
    primary key (company, day, driver)
);
create index on report_driver_trips (driver);

-- Minor units, by the costs that vehicles and drivers had when the day was computed.
create table report_costs (
    company uuid not null references companies,
    day date not null,
    currency text not null,
    distance_cost bigint not null,
    time_cost bigint not null,
    primary key (company, day, currency)
);

-- Deliveries by the day of their events. `delays` is a histogram of the times until they succeeded.
create table report_webhooks (
    company uuid not null references companies,
    day date not null,
    deliveries bigint not null,
    attempts bigint not null,
    succeeded bigint not null,
    disabled bigint not null,
    delays bigint[] not null,
    primary key (company, day)
);

create table report_devices (
    company uuid not null references companies,
    day date not null,
    devices bigint not null,
    heard bigint not null,
    device_hours bigint not null,
    silent_hours bigint not null,
    readings bigint not null,
    refused bigint not null,
    primary key (company, day)
);

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
        where table_schema = current_schema() and table_name in
            ('retention_marks', 'report_driver_trips', 'report_costs', 'report_webhooks',
             'report_devices')
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
