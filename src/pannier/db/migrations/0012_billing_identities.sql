-- The name, address and tax number of erased customers, until their transactions are settled.

create table billing_identities (
    uuid uuid primary key,
    company uuid not null references companies,
    contact uuid not null unique references contacts,
    name text not null,
    address text,
    tax_number text,
    created_at timestamptz not null check (created_at between '0001-01-01 00:00:00+00'
        and '9999-12-31 23:59:59.999999+00')
);
create index on billing_identities (company, created_at);
