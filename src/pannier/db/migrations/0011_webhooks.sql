-- Webhooks: where events go, every delivery, every attempt.

-- What an event is part of the story of: told one after the other.
alter table events add column thread text;
update events set thread = subject;
alter table events alter column thread set not null;
-- Events are told in the order in which they were written down. Whoever changes an order holds its
-- row, so its events get their positions in the order of their commits; their times may cross.
alter table events add column position bigint generated always as identity;
drop index events_unrelayed;
create index events_unrelayed on events (position) where relayed_at is null;

-- UUIDv7 for rows that are born in a statement; those of one moment sort by their number.
-- (PostgreSQL has its own only since version 18.)
create function uuid_of(moment timestamptz, number bigint) returns uuid language sql volatile as $$
    select encode(overlay(uuid_send(gen_random_uuid()) placing
        substring(int8send(floor(extract(epoch from moment) * 1000)::bigint) from 3)
        || int2send((28672 + number % 4096)::smallint)
        from 1 for 8), 'hex')::uuid
$$;
create function name_of(prefix text) returns text language sql volatile as $$
    select prefix || '_' || left(replace(gen_random_uuid()::text, '-', ''), 24)
$$;

create table webhooks (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    url text not null,
    description text,
    events text[] not null,
    headers bytea,
    header_names text[] not null,
    secrets jsonb not null,
    signature_format text not null check (signature_format in ('prefixed', 'bare')),
    ordering text not null check (ordering in ('first_attempt', 'strict')),
    timeout_seconds integer not null check (timeout_seconds between 1 and 30),
    rate_per_second integer check (rate_per_second between 1 and 1000),
    max_in_flight integer not null check (max_in_flight between 1 and 64),
    state text not null check (state in ('enabled', 'paused', 'disabled')),
    state_reason text,
    state_changed_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on webhooks (company, created_at, uuid) where deleted_at is null;

-- How an endpoint has been doing; apart from its settings, which are read and locked by others.
create table webhook_health (
    webhook uuid primary key references webhooks on delete cascade,
    company uuid not null references companies,
    failing_since timestamptz,
    failures integer not null,
    last_success_at timestamptz,
    last_failure_at timestamptz
);

-- These two are written for every delivery, so each index and each reference has to earn its
-- place: endpoints and companies are never deleted. Their own age is in their UUIDs.
create table webhook_deliveries (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null,
    webhook uuid not null,
    event uuid references events on delete cascade,
    -- The bytes of what is no event: a ping.
    body bytea,
    name text not null,
    subject text not null,
    thread text not null,
    sequence bigint not null,
    state text not null check (state in (
        'pending', 'sending', 'succeeded', 'failed', 'held', 'superseded', 'cancelled')),
    -- How often it was replayed; each round has the whole schedule.
    round integer not null default 0,
    retries integer not null default 0,
    attempts integer not null default 0,
    -- Whether an attempt has come to its end: followers of the same thread may begin theirs.
    tried boolean not null default false,
    due_at timestamptz not null,
    -- The attempt that is on its way, whose it is, and until when at the latest.
    attempt uuid,
    sender integer,
    lease_until timestamptz,
    status integer,
    error text,
    created_at timestamptz not null,
    finished_at timestamptz,
    check ((event is null) <> (body is null)),
    check ((state = 'sending') = (attempt is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
create index on webhook_deliveries (company, created_at, uuid);
create index on webhook_deliveries (webhook, created_at, uuid);
create index on webhook_deliveries (company, created_at, uuid) where state = 'failed';
create index on webhook_deliveries (webhook, thread, sequence);
-- What a thread still has before it: of a driver's places there may be many that it has behind it.
create index webhook_deliveries_unfinished on webhook_deliveries (webhook, thread, sequence)
    where state in ('pending', 'sending', 'held');
create index on webhook_deliveries (event);
create index webhook_deliveries_due on webhook_deliveries (webhook, due_at, sequence)
    where state = 'pending';
create index webhook_deliveries_sending on webhook_deliveries (sender) where state = 'sending';
create index webhook_deliveries_held on webhook_deliveries (webhook) where state = 'held';

create table webhook_attempts (
    uuid uuid primary key,
    public_id text not null,
    company uuid not null,
    delivery uuid not null references webhook_deliveries on delete cascade,
    number integer not null,
    round integer not null,
    trigger text not null check (trigger in ('event', 'retry', 'replay', 'ping')),
    outcome text not null check (outcome in (
        'sending', 'succeeded', 'refused', 'timeout', 'dns', 'connect', 'tls', 'blocked',
        'disconnected', 'malformed', 'internal', 'interrupted')),
    started_at timestamptz not null,
    finished_at timestamptz,
    status integer,
    error text,
    remote_address text,
    phases jsonb,
    request_headers jsonb,
    response_headers jsonb,
    response_body bytea,
    response_cut boolean not null default false
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
create index on webhook_attempts (delivery, number);
create index on webhook_attempts (started_at);
