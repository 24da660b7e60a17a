-- Proofs of delivery: evidence that somebody captured, in a chain per order.

-- A file that something else keeps cannot be deleted as one's own.
alter table files add column held boolean not null default false;

create table proofs (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    order_uuid uuid not null references orders,
    subject_type text not null check (subject_type in ('order', 'waypoint', 'entity')),
    subject_uuid uuid not null,
    subject_id text not null,
    method text not null check (method in ('scan', 'signature', 'photo', 'sms', 'override')),
    status text not null check (status in ('valid', 'rejected')),
    file uuid references files,
    thumbnail uuid references files,
    raw_data text,
    data jsonb not null,
    remarks text,
    -- The activity it is meant for, when the one who captured it said so.
    activity text,
    driver uuid references drivers,
    -- Made by the device that captured it, so that the same proof sent again is the same proof.
    client_uuid uuid,
    content_hash bytea not null,
    -- When it was captured, by the device's clock, and when it came in, by ours.
    created_at timestamptz not null,
    received_at timestamptz not null,
    -- What was signed, and how it follows from the proof before it.
    sequence integer not null,
    facts bytea not null,
    previous bytea,
    hash bytea not null,
    signature bytea not null,
    key_id text not null,
    -- The tracking status whose activity this proof let happen; a proof serves once.
    used_by uuid references tracking_statuses
);
create unique index proofs_chain on proofs (order_uuid, sequence);
create unique index proofs_client on proofs (company, client_uuid) where client_uuid is not null;
create index on proofs (company, received_at, uuid);
create index on proofs (subject_uuid);

-- How many wrong codes were typed at a stop: since the last code was sent, and in all.
create table proof_codes (
    company uuid not null references companies,
    subject uuid not null,
    wrong integer not null,
    wrong_in_all integer not null,
    primary key (company, subject)
);
