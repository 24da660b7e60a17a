-- Customers of a storefront: who they are, how they sign in, which devices they carry.

-- What a store allows: its providers of sign-ins, by name.
alter table stores add column providers jsonb not null default '{}';
alter table stores add column version integer not null default 1;
alter table stores add column updated_at timestamptz;

create table customers (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    store uuid not null references stores,
    -- Orders name customers as contacts; this is theirs.
    contact uuid not null references contacts,
    name text not null,
    email text,
    email_key text,
    email_verified_at timestamptz,
    phone text,
    phone_verified_at timestamptz,
    -- A number that is being verified; it is not theirs before that.
    phone_wanted text,
    password_hash text,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    closed_at timestamptz,
    close_reason text,
    erase_at timestamptz,
    erased_at timestamptz,
    deleted_at timestamptz
);
-- Only what is verified belongs to somebody: nobody can sit on another's address.
create unique index customers_email on customers (store, email_key)
    where email_verified_at is not null and closed_at is null;
create unique index customers_phone on customers (store, phone)
    where phone_verified_at is not null and closed_at is null;
create unique index customers_contact on customers (contact);
create index on customers (company, created_at, uuid) where deleted_at is null;
create index on customers (company, name, uuid) where deleted_at is null;
create index on customers (store, email_key) where email_key is not null;
create index on customers (erase_at) where erase_at is not null and erased_at is null;

-- Who somebody is to a provider of sign-ins.
create table customer_identities (
    uuid uuid primary key,
    company uuid not null references companies,
    store uuid not null references stores,
    customer uuid not null references customers,
    provider text not null check (provider in ('a', 'b', 'c')),
    subject text not null,
    email text,
    verified boolean not null,
    created_at timestamptz not null,
    last_used_at timestamptz not null
);
create unique index customer_identities_subject on customer_identities (store, provider, subject);
create index on customer_identities (customer);

-- A sign-in that waits for a code: provider C's word alone proves nothing.
create table customer_pending_links (
    company uuid not null references companies,
    store uuid not null references stores,
    email_key text not null,
    provider text not null,
    subject text not null,
    name text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (store, email_key)
);

-- Tokens of providers that were used: none is taken twice.
create table provider_replays (
    hash bytea primary key,
    expires_at timestamptz not null
);
create index on provider_replays (expires_at);

create table customer_tokens (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    store uuid not null references stores,
    customer uuid not null references customers,
    secret_hash bytea not null,
    method text not null,
    user_agent text not null,
    address text not null,
    created_at timestamptz not null,
    last_used_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz,
    revoked_by text
);
create index on customer_tokens (customer, created_at, uuid);

create table customer_devices (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    store uuid not null references stores,
    customer uuid not null references customers,
    platform text not null check (platform in ('ios', 'android', 'web')),
    token text not null,
    details jsonb not null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null
);
create unique index customer_devices_token on customer_devices (store, platform, token);
create index on customer_devices (customer);
