-- The foundation: who is here, what happened, what was said, what was kept.
-- Times are parameters, never now(): the clock is the program's.

create table installation (
    singleton boolean primary key default true check (singleton),
    secret_fingerprint text not null
);

create table companies (
    uuid uuid primary key,
    public_id text not null unique,
    name text not null,
    mode text not null check (mode in ('live', 'test')),
    created_at timestamptz not null
);

create table stores (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    name text not null,
    created_at timestamptz not null
);
create index on stores (company, created_at, uuid);

create table operators (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    email text not null,
    email_key text not null,
    name text not null,
    role text not null check (role in ('admin', 'dispatcher', 'viewer')),
    password_hash text not null,
    created_at timestamptz not null,
    disabled_at timestamptz,
    unique (company, email_key)
);
create index on operators (email_key);
create index on operators (company, created_at, uuid);

create table operator_tokens (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    operator uuid not null references operators,
    secret_hash bytea not null,
    created_at timestamptz not null,
    last_used_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz
);
create index on operator_tokens (operator) where revoked_at is null;

create table keys (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    store uuid references stores,
    kind text not null check (kind in ('api', 'storefront')),
    name text not null,
    scopes text[] not null,
    secret_hash bytea not null,
    hint text not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    replaced_by uuid references keys,
    check ((kind = 'storefront') = (store is not null))
);
create index on keys (company, created_at, uuid);

create table audit_entries (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    created_at timestamptz not null,
    actor_type text not null check (actor_type in ('operator', 'key', 'command')),
    actor text not null,
    actor_name text not null,
    action text not null,
    subject text not null,
    details jsonb not null,
    request_id text not null,
    address text not null
);
create index on audit_entries (company, created_at, uuid);

create table idempotency_answers (
    id bytea primary key,
    fingerprint bytea not null,
    status integer not null default 0,
    answer bytea not null default '',
    expires_at timestamptz not null
);
create index on idempotency_answers (expires_at);

create table budget_hits (
    key text not null,
    created_at timestamptz not null
);
create index on budget_hits (key, created_at);
create index on budget_hits (created_at);

create table events (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    name text not null,
    subject text not null,
    created_at timestamptz not null,
    body bytea not null,
    relayed_at timestamptz
);
create index on events (company, created_at, uuid);
create index events_unrelayed on events (created_at) where relayed_at is null;

create table challenges (
    uuid uuid primary key,
    company uuid not null references companies,
    scope text not null,
    purpose text not null,
    identity text not null,
    created_at timestamptz not null,
    sends integer not null,
    last_sent_at timestamptz not null,
    closed_at timestamptz
);
create unique index challenges_open on challenges (company, scope, identity, purpose)
    where closed_at is null;
create index on challenges (created_at);

create table codes (
    uuid uuid primary key,
    challenge uuid not null references challenges on delete cascade,
    hash bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);
create index on codes (challenge);

create table messages (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    channel text not null check (channel in ('sms', 'email', 'push')),
    recipient text not null,
    subject text not null,
    body text not null,
    secret boolean not null,
    state text not null check (state in ('due', 'sent', 'drawer', 'failed')),
    attempts integer not null default 0,
    created_at timestamptz not null,
    due_at timestamptz not null,
    expires_at timestamptz,
    sent_at timestamptz,
    error text
);
create index on messages (company, created_at, uuid);
create index on messages (company, recipient, created_at, uuid);
create index on messages (created_at, uuid);
create index messages_due on messages (due_at) where state = 'due';

create table files (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    sha256 bytea not null,
    size bigint not null,
    content_type text not null,
    name text not null,
    created_at timestamptz not null,
    deleted_at timestamptz
);
create index on files (company, created_at, uuid) where deleted_at is null;
create index on files (sha256) where deleted_at is null;

-- Notes for the sweep: look whether this object is still needed. Only ever added and taken away,
-- so that keeping a file and deleting one with the same content never wait for each other.
create table file_sweeps (
    uuid uuid primary key,
    sha256 bytea not null,
    due_at timestamptz not null
);
create index on file_sweeps (due_at, uuid);
create index on file_sweeps (sha256);

create table heartbeats (
    worker text primary key,
    started_at timestamptz not null,
    beat_at timestamptz not null
);
