-- oldest version: 0.1.0
-- Backups, and the silence of a restored installation.

-- One row while nothing is sent: from a restore until `pannier resume`.
create table silence (
    singleton boolean primary key default true check (singleton),
    since timestamptz not null
        check (since between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
);

create table backups (
    name text primary key,
    destination text not null,
    started_at timestamptz not null
        check (started_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    finished_at timestamptz
        check (finished_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    encrypted boolean not null,
    rows bigint not null,
    files bigint not null,
    missing_files bigint not null,
    error text
);
create index on backups (started_at);
create index on backups (finished_at) where error is null;
