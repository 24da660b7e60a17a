-- What an operator should look at now. There is at most one open alert of a kind about a record.
-- `position` grows with every change, so that live pages see it.

create sequence alert_positions;

create table alerts (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    kind text not null,
    subject text not null,
    subject_uuid uuid not null,
    cause text not null,
    occurrences integer not null default 1,
    details jsonb not null,
    raised_at timestamptz not null
        check (raised_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    closed_at timestamptz
        check (closed_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    acknowledged_at timestamptz
        check (acknowledged_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    acknowledged_by text,
    position bigint not null default nextval('alert_positions'),
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    updated_at timestamptz not null
        check (updated_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    version integer not null default 1
);
create unique index alerts_open on alerts (company, kind, subject_uuid) where closed_at is null;
create index on alerts (company, raised_at, uuid);
create index alerts_unread on alerts (company, raised_at, uuid)
    where closed_at is null and acknowledged_at is null;
create index on alerts (company, position);
create index on alerts (company, subject_uuid, kind, closed_at);

-- The open alerts that an operator has read.
create table alert_reads (
    operator uuid not null references operators on delete cascade,
    alert uuid not null references alerts on delete cascade,
    company uuid not null references companies,
    primary key (operator, alert)
);
create index on alert_reads (alert);

-- How an operator wants to hear of alerts. Kinds that are not named have their defaults.
create table alert_rules (
    operator uuid primary key references operators on delete cascade,
    company uuid not null references companies,
    rules jsonb not null
);
