-- Figures of each company by day, and the days to compute.

-- Companies whose days are in the reports: the time zone of the days, the version of the figures,
-- and when days were last queued to be checked.
create table report_companies (
    company uuid primary key references companies,
    time_zone text not null,
    figures integer not null,
    checked_at timestamptz not null
);
create index on report_companies (checked_at);

-- Days whose figures have to be computed. `touches` counts the changes since the day was queued;
-- `due_at` moves ahead while a worker computes it.
create table report_queue (
    uuid uuid primary key default gen_random_uuid(),
    company uuid not null references companies,
    day date not null,
    touches bigint not null default 1,
    attempts integer not null default 0,
    due_at timestamptz not null,
    unique (company, day)
);
create index on report_queue (company, due_at);

create table report_days (
    company uuid not null references companies,
    day date not null,
    created bigint not null,
    completed bigint not null,
    canceled bigint not null,
    failed_attempts bigint not null,
    with_window bigint not null,
    on_time bigint not null,
    attempted bigint not null,
    first_attempt bigint not null,
    proofs_scan bigint not null,
    proofs_signature bigint not null,
    proofs_photo bigint not null,
    proofs_sms bigint not null,
    proofs_override bigint not null,
    computed_at timestamptz not null,
    primary key (company, day)
);

-- Minor units. A transaction counts on the day on which it was opened.
create table report_money (
    company uuid not null references companies,
    day date not null,
    currency text not null,
    transactions bigint not null,
    revenue bigint not null,
    refunded bigint not null,
    primary key (company, day, currency)
);

-- The trips of a day, by their start. Trips are deleted earlier than these figures, in metres and
-- seconds.
create table report_trips (
    company uuid not null references companies,
    day date not null,
    trips bigint not null,
    distance bigint not null,
    moving bigint not null,
    idle bigint not null,
    primary key (company, day)
);

create table report_drivers (
    company uuid not null references companies,
    day date not null,
    driver uuid not null references drivers,
    completed bigint not null,
    failed_attempts bigint not null,
    with_window bigint not null,
    on_time bigint not null,
    attempted bigint not null,
    first_attempt bigint not null,
    primary key (company, day, driver)
);
create index on report_drivers (driver);

-- Operators who get a weekly report by email; `due_at` moves ahead while it is written.
create table report_emails (
    operator uuid primary key references operators on delete cascade,
    company uuid not null references companies,
    attempts integer not null default 0,
    due_at timestamptz not null
);
create index on report_emails (due_at);

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
            ('report_companies', 'report_queue', 'report_days', 'report_money',
             'report_trips', 'report_drivers', 'report_emails')
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
