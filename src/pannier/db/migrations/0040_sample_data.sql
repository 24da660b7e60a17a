-- The records that were added as sample data, until they are removed.

create table sample_records (
    uuid uuid primary key,
    company uuid not null references companies,
    created_at timestamptz not null
        check (created_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00'),
    resource text not null,
    record text not null,
    fingerprint bytea not null,
    reason text,
    unique (company, record)
);
