-- The whole schema, one domain after another.
-- Leases, expiry and deletion use `pannier_now()`, the database's time; nothing else asks PostgreSQL
-- for the time. Most deleted rows are only marked, because orders and proofs still refer to them.
-- A page costs the same at any depth: every column that a list can be sorted by has an index. Every
-- row carries its company. Companies are never deleted, so tables that grow fast carry it without a
-- foreign key: checking one costs as much as an index, and locks a row that all writers share.


-- The time that all processes share; constant within a statement. Only tests shift it, with the
-- setting `pannier.now`.
create function pannier_now() returns timestamptz
language sql stable parallel safe as $$
    select coalesce(nullif(current_setting('pannier.now', true), '')::timestamptz,
                    statement_timestamp())
$$;

-- The search words of a text, within one company. Needs no extension, and PostgreSQL can inline it;
-- calling it as a function would cost many times as much. Characters that PostgreSQL would read as
-- part of a number, an address or a path become spaces.
create function search_words(company uuid, said text) returns tsvector
language sql immutable parallel safe as $$
    select to_tsvector('simple', replace(company::text, '-', '') || ' ' || replace(replace(replace(
        replace(replace(replace(replace(replace(replace(replace(said, '-', ' '), '+', ' '),
        '.', ' '), '@', ' '), '/', ' '), '_', ' '), ':', ' '), '<', ' '), '&', ' '), '#', ' '))
$$;

-- The same for texts that are searched by any part of a word, such as number plates: every suffix
-- of every word. Worth it for thousands of rows that rarely change.
create function search_parts(company uuid, said text) returns tsvector
language sql immutable parallel safe as $$
    select array_to_tsvector(array_append(
        array_agg(distinct substr(word, start, 30)), replace(company::text, '-', '')))
    from regexp_split_to_table(lower(said), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+') word,
        generate_series(1, length(word)) start
$$;


-- Installation: the secret this database was created with, and the workers that are alive.

create table installation (
    singleton boolean primary key default true check (singleton),
    secret_fingerprint text not null
);

create table heartbeats (
    worker text primary key,
    started_at timestamptz not null,
    beat_at timestamptz not null,
    -- The secret the worker uses.
    secret_fingerprint text not null
);


-- Accounts: who has access, how they prove it, and what they changed.

create table companies (
    uuid uuid primary key,
    public_id text not null unique,
    -- A company belongs to itself, so that queries scope its row like any other.
    company uuid not null check (company = uuid),
    name text not null,
    mode text not null check (mode in ('live', 'test')),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    -- The company's settings; null, or a missing key, means the default.
    country text,
    time_zone text,
    locale text,
    currency text,
    order_config uuid,
    quote_life integer,
    dispatch_requires text check (dispatch_requires in ('nothing', 'price', 'payment')),
    undelivered_charge text check (undelivered_charge in ('keep', 'void', 'return_fee')),
    -- Minor units, or a percentage such as "50%".
    return_fee text,
    speed_limit_kmh integer,
    codes jsonb not null default '{}',
    locations jsonb not null default '{}',
    routing jsonb not null default '{}',
    retention jsonb not null default '{}',
    branding jsonb not null default '{}',
    senders jsonb not null default '{}',
    news jsonb not null default '{}',
    -- Incremented with every change of a rate, a zone or an area; caches compare it.
    rates_version bigint not null default 0,
    deleted_at timestamptz
);

create table stores (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    name text not null,
    -- The sign-in providers that the store allows, by name.
    providers jsonb not null default '{}',
    -- Settings that override the company's.
    settings jsonb not null default '{}',
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1
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
    disabled_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    unique (company, email_key)
);
create index on operators (email_key);
create index on operators (company, created_at, uuid);
create index on operators (company, name, uuid);
create index on operators (company, email, uuid);

-- Tokens of operators, customers, drivers and devices. `kind` names the table that `holder` is in.
create table tokens (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    kind text not null check (kind in ('operator', 'customer', 'driver', 'device')),
    holder uuid not null,
    store uuid references stores,
    secret_hash bytea not null,
    method text not null,
    user_agent text not null,
    address text not null,
    created_at timestamptz not null,
    -- When the holder last proved their identity again.
    confirmed_at timestamptz,
    last_used_at timestamptz not null,
    expires_at timestamptz,
    idle interval,
    -- When the token expires unless it is used, or when it was revoked.
    ends_at timestamptz,
    revoked_at timestamptz,
    revoked_by text,
    -- Whether its device and network still count as known, even after the token has ended.
    vouches boolean not null,
    check ((kind = 'customer') = (store is not null))
);
create index on tokens (holder, created_at, uuid);
create index on tokens (company, ends_at);

create table keys (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    store uuid references stores,
    kind text not null check (kind in ('api', 'storefront', 'app')),
    name text not null,
    scopes text[] not null,
    secret_hash bytea not null,
    hint text not null,
    -- The full text of an app key, which is public, so that it can be sent to drivers again.
    app_key text check (app_key is null or kind = 'app'),
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    replaced_by uuid references keys,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    check ((kind = 'storefront') = (store is not null)),
    -- An app key only allows drivers to sign in, so it has no scopes.
    check (kind <> 'app' or scopes = '{}')
);
create index on keys (company, created_at, uuid);
create index on keys (company, name, uuid);

create table audit_entries (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    created_at timestamptz not null,
    actor_type text not null,
    actor text not null,
    actor_name text not null,
    action text not null,
    subject text not null,
    details jsonb not null,
    before jsonb not null,
    after jsonb not null,
    request_id text not null,
    address text not null
);
create index on audit_entries (company, created_at, uuid);
create index on audit_entries (company, subject, created_at, uuid);
create index on audit_entries (company, actor, created_at, uuid);
create index on audit_entries (company, action, created_at, uuid);


-- Requests: answers to replay for an idempotency key, and budgets.

create table idempotency_answers (
    id bytea primary key,
    fingerprint bytea not null,
    status integer not null default 0,
    answer bytea not null default '',
    expires_at timestamptz not null
);
create index on idempotency_answers (expires_at);

-- Budget use, counted in parts of the budget's span; a part ends one span after its latest hit.
create table budget_parts (
    key text not null,
    span interval not null,
    part bigint not null,
    hits integer not null,
    ends_at timestamptz not null,
    primary key (key, span, part)
);
create index on budget_parts (ends_at);


-- Events: what happened, as integrators are told. The log is written once; what has not been
-- relayed yet is in a queue beside it.

create table events (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null,
    name text not null,
    subject text not null,
    -- Events of one thread are delivered in order.
    thread text not null,
    created_at timestamptz not null,
    body bytea not null,
    subject_uuid uuid
);
create index on events (company, created_at, uuid);
create index on events (company, name, created_at, uuid);
create index on events (company, subject, created_at, uuid);
create index on events (company, subject_uuid, created_at, uuid) where subject_uuid is not null;

-- Events are relayed by position. A transaction that changes an order locks its row, so the events
-- of one order get positions in commit order; their `created_at` may not be in that order.
create table event_queue (
    position bigint generated always as identity primary key,
    event uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- When each event was relayed, and its place in the sequence. Only one relay runs at a time, so
-- places become visible in order. Deleted together with the event.
create table event_relays (
    event uuid primary key,
    company uuid not null,
    place bigint generated always as identity,
    relayed_at timestamptz not null
);
create unique index on event_relays (company, place);


-- Parked work: what the worker failed to do, and when it tries again.

create table parked (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    -- The step that failed; the subject is an event or an order.
    step text not null,
    subject text not null,
    subject_uuid uuid not null,
    error text not null,
    attempts integer not null,
    retry_at timestamptz
);
create unique index parked_work on parked (subject_uuid, step);
create index on parked (company, created_at, uuid);
create index on parked (retry_at, uuid) where retry_at is not null;


-- Verification: codes that were sent, and what each one is for.

create table challenges (
    uuid uuid primary key,
    company uuid not null references companies,
    scope text not null,
    purpose text not null,
    identity text not null,
    created_at timestamptz not null,
    sends integer not null,
    last_sent_at timestamptz not null,
    -- Set for SMS codes to new numbers; sending to a country stops when too few codes are used.
    country text,
    closed_at timestamptz,
    verified_at timestamptz
);
create unique index challenges_open on challenges (company, scope, identity, purpose)
    where closed_at is null;
create index on challenges (company, created_at, scope, country) include (sends, verified_at)
    where country is not null;
create index on challenges (created_at);
create index on challenges (company, scope, identity, purpose, created_at, uuid);
create index on challenges (company, identity);

create table codes (
    uuid uuid primary key,
    challenge uuid not null references challenges on delete cascade,
    hash bytea not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);
create index on codes (challenge);


-- Notifications: messages to people.

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
    created_at timestamptz not null,
    due_at timestamptz not null,
    attempts integer not null default 0,
    expires_at timestamptz,
    sent_at timestamptz,
    sender text not null default '',
    error text,
    -- The customer it is for, where the recipient's address does not identify them.
    customer uuid,
    -- For delivery updates: the kind, the order's public id, and the unsubscribe link.
    kind text,
    order_id text,
    way_out text
);
create index on messages (customer) where customer is not null;
create index on messages (company, order_id, created_at, uuid) where order_id is not null;
create index on messages (company, created_at, uuid);
create index on messages (company, recipient, created_at, uuid);
create index on messages (company, channel, created_at, uuid);
-- Nearly all messages are sent; only the rarer states are searched for.
create index on messages (company, state, created_at, uuid)
    where state in ('due', 'drawer', 'failed');
create index on messages (created_at, uuid);
-- Messages still to be sent: by channel, codes first, then by company.
create index messages_due on messages (channel, secret, company, due_at) where state = 'due';
create index messages_expiring on messages (expires_at)
    where state = 'due' and expires_at is not null;


-- Files: uploads; their bytes are in the file storage under their hash.

create table files (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    sha256 bytea not null,
    size bigint not null,
    content_type text not null,
    name text not null,
    created_at timestamptz not null,
    deleted_at timestamptz,
    -- Held by another record, such as a proof, so it cannot be deleted as a file.
    held boolean not null default false
);
create index on files (company, created_at, uuid) where deleted_at is null;
create index on files (sha256) where deleted_at is null;
create index on files (company, name, uuid) where deleted_at is null;
create index on files (company, size, uuid) where deleted_at is null;
create index on files (company, content_type, created_at, uuid) where deleted_at is null;

-- Objects that the sweep must check: are they still needed? Rows are only inserted and deleted, so
-- that storing a file and deleting one with the same content never wait for each other.
create table file_sweeps (
    uuid uuid primary key,
    sha256 bytea not null,
    due_at timestamptz not null
);
create index on file_sweeps (due_at, uuid);
create index on file_sweeps (sha256);


-- Places: addresses, service areas and zones.

create table places (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    name text,
    street1 text,
    street2 text,
    city text,
    province text,
    postal_code text,
    neighborhood text,
    district text,
    building text,
    security_access_code text,
    country text,
    phone text,
    type text,
    -- Erasure and export go by the owner: the company unless said otherwise, a customer (their
    -- contact's id) or an order (its id, once it has one).
    owner_type text not null default 'company'
        check (owner_type in ('company', 'customer', 'order')),
    owner text,
    longitude double precision,
    latitude double precision,
    -- The result of geocoding an address that came without a point, and when to try next.
    geocoding jsonb,
    locate_after timestamptz,
    locate_attempts integer not null,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz,
    check ((longitude is null) = (latitude is null)),
    check (case owner_type when 'company' then owner is null
                           when 'customer' then owner is not null else true end)
);
create index on places (company, created_at, uuid) where deleted_at is null;
create index on places (company, owner) where owner_type = 'customer';
create index places_to_locate on places (company, locate_after)
    where locate_after is not null and deleted_at is null;
create index places_search on places using gin (search_words(company,
    coalesce(name, '') || ' ' || coalesce(street1, '') || ' ' ||
    coalesce(street2, '') || ' ' || coalesce(city, '') || ' ' ||
    coalesce(postal_code, '') || ' ' || coalesce(building, '') || ' ' ||
    coalesce(phone || ' ' || right(phone, 7) || ' ' || right(phone, 8) || ' '
        || right(phone, 9) || ' ' || right(phone, 10), ''))) with (fastupdate = off);

-- Places that moved: the routes of their open orders are measured again, one after another.
create table moved_places (
    place uuid primary key references places,
    company uuid not null references companies,
    -- The last payload that was handled.
    after uuid not null default '00000000-0000-0000-0000-000000000000'
);

-- A border is GeoJSON; the bounding box finds the few borders that may contain a point.
create table service_areas (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    name text not null,
    type text,
    border jsonb not null,
    west double precision not null,
    south double precision not null,
    east double precision not null,
    north double precision not null,
    center_longitude double precision not null,
    center_latitude double precision not null,
    country text,
    color text,
    stroke_color text,
    status text not null check (status in ('active', 'inactive')),
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on service_areas (company, created_at, uuid) where deleted_at is null;
create index on service_areas (company, name, uuid) where deleted_at is null;
create index on service_areas (company, west, east, south, north) where deleted_at is null;

create table zones (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    service_area uuid not null references service_areas,
    name text not null,
    description text,
    type text,
    border jsonb not null,
    west double precision not null,
    south double precision not null,
    east double precision not null,
    north double precision not null,
    center_longitude double precision not null,
    center_latitude double precision not null,
    country text,
    color text,
    stroke_color text,
    status text not null check (status in ('active', 'inactive')),
    speed_limit_kmh integer,
    trigger_on_entry boolean not null,
    trigger_on_exit boolean not null,
    dwell_threshold_minutes integer,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on zones (company, created_at, uuid) where deleted_at is null;
create index on zones (company, name, uuid) where deleted_at is null;
create index on zones (company, west, east, south, north) where deleted_at is null;
create index on zones (service_area) where deleted_at is null;


-- Partners: a company's contacts and vendors.

create table contacts (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    internal_id text,
    name text not null,
    title text,
    email text,
    phone text,
    locale text,
    type text not null,
    place uuid references places,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz,
    -- When erasure of this person began; from then on, nothing about them is stored.
    erased_at timestamptz
);
create index on contacts (company, created_at, uuid) where deleted_at is null;
create index on contacts (company, name, uuid) where deleted_at is null;
-- Includes deleted contacts: erasure must find a person in all of them.
create index on contacts (company, phone);
create index on contacts (company, lower(email));
create index on contacts (company, internal_id) where deleted_at is null;
create index on contacts (company, type, created_at, uuid) where deleted_at is null;
create index contacts_search on contacts using gin (search_words(company,
    coalesce(name, '') || ' ' || coalesce(title, '') || ' ' || coalesce(email, '') || ' ' ||
    coalesce(internal_id, '') || ' ' ||
    coalesce(phone || ' ' || right(phone, 7) || ' ' || right(phone, 8) || ' '
        || right(phone, 9) || ' ' || right(phone, 10), ''))) with (fastupdate = off);
create index on contacts (place) where place is not null;
create index on contacts (uuid) where erased_at is not null;

create table vendors (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    internal_id text,
    business_id text,
    name text not null,
    title text,
    email text,
    phone text,
    locale text,
    website_url text,
    country text,
    type text not null,
    status text not null check (status in ('active', 'inactive')),
    place uuid references places,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on vendors (company, created_at, uuid) where deleted_at is null;
create index on vendors (company, name, uuid) where deleted_at is null;
create index on vendors (company, internal_id) where deleted_at is null;
create index on vendors (company, phone) where deleted_at is null;
create index on vendors (company, lower(email)) where deleted_at is null;
create index vendors_search on vendors using gin (search_words(company,
    coalesce(name, '') || ' ' || coalesce(email, '') || ' ' ||
    coalesce(internal_id, '') || ' ' || coalesce(business_id, '') || ' ' ||
    coalesce(phone || ' ' || right(phone, 7) || ' ' || right(phone, 8) || ' '
        || right(phone, 9) || ' ' || right(phone, 10), ''))) with (fastupdate = off);
create index on vendors (place) where place is not null;


-- Storefront customers: who they are, how they sign in, and their devices.

create table customers (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    store uuid not null references stores,
    -- The contact that orders refer to.
    contact uuid not null references contacts,
    name text not null,
    email text,
    email_key text,
    email_verified_at timestamptz,
    phone text,
    phone_verified_at timestamptz,
    -- A phone number and an e-mail address that are not verified yet.
    phone_wanted text,
    email_wanted text,
    password_hash text,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    -- Former phone numbers and e-mail addresses: messages sent there are theirs too.
    former text[] not null default '{}',
    closed_at timestamptz,
    close_reason text,
    erase_at timestamptz,
    -- When to try erasure again after a failure.
    erase_after timestamptz,
    -- The last order that was erased, while others are still to come.
    erased_order uuid,
    erased_at timestamptz,
    deleted_at timestamptz
);
-- Unique among verified ones only, so that nobody can block another person's address.
create unique index customers_email on customers (store, email_key)
    where email_verified_at is not null and closed_at is null;
create unique index customers_phone on customers (store, phone)
    where phone_verified_at is not null and closed_at is null;
create unique index customers_contact on customers (contact);
create index on customers (company, created_at, uuid) where deleted_at is null;
create index on customers (company, name, uuid) where deleted_at is null;
create index on customers (company, created_at, uuid)
    where closed_at is not null and deleted_at is null;
create index on customers (store, email_key) where email_key is not null;
create index on customers (store, phone) where phone is not null;
create index customers_search on customers using gin (search_words(company,
    coalesce(name, '') || ' ' || coalesce(email, '') || ' ' ||
    coalesce(phone || ' ' || right(phone, 7) || ' ' || right(phone, 8) || ' '
        || right(phone, 9) || ' ' || right(phone, 10), ''))) with (fastupdate = off);
create index on customers (greatest(erase_at, erase_after), uuid)
    where erase_at is not null and erased_at is null;

-- A customer's identity at a sign-in provider.
create table customer_identities (
    uuid uuid primary key,
    company uuid not null references companies,
    store uuid not null references stores,
    customer uuid not null references customers,
    provider text not null check (provider in ('a', 'b', 'c')),
    subject text not null,
    email text,
    verified boolean not null,
    -- The provider's grant, encrypted; revoked when the customer leaves.
    grant_sealed bytea,
    created_at timestamptz not null,
    last_used_at timestamptz not null
);
create unique index customer_identities_subject on customer_identities (store, provider, subject);
create index on customer_identities (customer);

-- A sign-in that waits for a code: provider C alone does not prove an e-mail address.
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
create index on customer_pending_links (expires_at);

-- Provider tokens that were used; each is accepted once.
create table provider_replays (
    hash bytea primary key,
    expires_at timestamptz not null
);
create index on provider_replays (expires_at);

create table customer_devices (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    store uuid not null references stores,
    customer uuid not null references customers,
    -- The sign-in that registered the device; push messages stop when it ends.
    session uuid not null references tokens on delete cascade,
    platform text not null check (platform in ('ios', 'android', 'web')),
    token text not null,
    details jsonb not null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null
);
-- What third parties still hold about customers who left: payment accounts and provider grants.
-- A row is deleted when the third party has confirmed the deletion.
create table departures (
    uuid uuid primary key,
    company uuid not null references companies,
    store uuid not null references stores,
    kind text not null check (kind in ('payment_account', 'provider_grant')),
    -- The gateway or provider, and its identifier of the customer, encrypted.
    party text not null,
    sealed bytea not null,
    created_at timestamptz not null,
    due_at timestamptz not null,
    attempts integer not null default 0
);
create index on departures (due_at, uuid);

create unique index customer_devices_token on customer_devices (store, platform, token);
create index on customer_devices (customer);
create index on customer_devices (session);


-- Fleet: drivers, vehicles, fleets, positions and issues. `version` counts changes to a row's own
-- fields; its position is in `whereabouts`.

create table vehicles (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    internal_id text,
    vin text,
    plate_number text,
    make text,
    model text,
    trim text,
    year integer,
    color text,
    type text,
    fuel_type text,
    payload_capacity double precision,
    speed_limit_kmh integer,
    status text not null,
    online boolean not null,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on vehicles (company, created_at, uuid) where deleted_at is null;
create index on vehicles (company, updated_at, uuid) where deleted_at is null;
create index on vehicles (company, status, uuid) where deleted_at is null;
create index vehicles_search on vehicles using gin (search_parts(company,
    coalesce(plate_number, '') || ' ' || coalesce(vin, '') || ' ' || coalesce(make, '') || ' ' ||
    coalesce(model, '') || ' ' || coalesce(internal_id, ''))) with (fastupdate = off);

create table drivers (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    internal_id text,
    name text not null,
    email text,
    phone text not null,
    drivers_license_number text,
    license_expiry date,
    status text not null,
    online boolean not null,
    vehicle uuid references vehicles,
    country text,
    city text,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create unique index drivers_phone on drivers (company, phone) where deleted_at is null;
create unique index drivers_vehicle on drivers (vehicle) where vehicle is not null;
create index on drivers (company, created_at, uuid) where deleted_at is null;
create index on drivers (company, updated_at, uuid) where deleted_at is null;
create index on drivers (company, name, uuid) where deleted_at is null;
create index drivers_search on drivers using gin (search_parts(company,
    coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(phone, '') || ' ' ||
    coalesce(internal_id, '') || ' ' || coalesce(drivers_license_number, '')))
    with (fastupdate = off);

-- The current position of a driver, vehicle or device, apart from the record itself, which people
-- change rarely. Rows are always updated in the order of `subject`, to avoid deadlocks.
create table whereabouts (
    subject uuid primary key,
    company uuid not null references companies,
    kind text not null check (kind in ('driver', 'vehicle', 'device')),
    latitude double precision not null,
    longitude double precision not null,
    heading double precision,
    altitude double precision,
    speed double precision,
    accuracy double precision,
    located_at timestamptz not null,
    -- The position in the last `location_changed` event, so that many small moves add up to one.
    told_latitude double precision,
    told_longitude double precision,
    told_at timestamptz
) with (fillfactor = 70);
create index whereabouts_near on whereabouts (company, latitude, longitude) where kind = 'driver';

-- Who drove which vehicle when; `until` is null while it lasts.
create table drives (
    uuid uuid primary key,
    company uuid not null references companies,
    driver uuid not null references drivers,
    vehicle uuid not null references vehicles,
    since timestamptz not null,
    until timestamptz
);
create unique index drives_going_on on drives (driver) where until is null;
create unique index drives_driven on drives (vehicle) where until is null;
create index on drives (driver, since);
create index on drives (vehicle, since);

create table fleets (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    name text not null,
    task text,
    status text not null,
    parent_fleet uuid references fleets,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on fleets (company, created_at, uuid) where deleted_at is null;
create index on fleets (company, updated_at, uuid) where deleted_at is null;
create index on fleets (company, name, uuid) where deleted_at is null;
create index on fleets (parent_fleet) where parent_fleet is not null;

create table fleet_members (
    uuid uuid primary key,
    company uuid not null references companies,
    fleet uuid not null references fleets,
    driver uuid references drivers,
    vehicle uuid references vehicles,
    created_at timestamptz not null,
    check (num_nonnulls(driver, vehicle) = 1)
);
create unique index fleet_members_driver on fleet_members (fleet, driver)
    where driver is not null;
create unique index fleet_members_vehicle on fleet_members (fleet, vehicle)
    where vehicle is not null;
create index on fleet_members (driver) where driver is not null;
create index on fleet_members (vehicle) where vehicle is not null;

create table issues (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    driver uuid references drivers,
    vehicle uuid references vehicles,
    order_id text,
    title text,
    report text not null,
    priority text not null,
    type text,
    category text,
    tags text[] not null,
    status text not null,
    latitude double precision,
    longitude double precision,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    resolution text,
    resolved_at timestamptz,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on issues (company, created_at, uuid) where deleted_at is null;
create index on issues (company, updated_at, uuid) where deleted_at is null;
create index on issues (company, status, uuid) where deleted_at is null;
create index on issues (company, priority, uuid) where deleted_at is null;
create index on issues (driver) where driver is not null;
create index on issues (vehicle) where vehicle is not null;
create index on issues (company, order_id) where order_id is not null;
create index on issues (company, order_id)
    where order_id is not null and resolved_at is null and deleted_at is null;

create table issue_photos (
    uuid uuid primary key,
    company uuid not null references companies,
    issue uuid not null references issues,
    file uuid not null references files,
    thumbnail uuid not null references files,
    created_at timestamptz not null
);
create index on issue_photos (issue, created_at, uuid);


-- Payloads: goods, their stops and items.

create table payloads (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    -- The order it belongs to; at most one.
    order_uuid uuid,
    -- Follows the order: stops may change, are under way, or are closed.
    state text not null check (state in ('open', 'begun', 'closed')),
    type text,
    -- If the payload has waypoints: the places of the first and the last one.
    pickup uuid references places,
    dropoff uuid references places,
    return_place uuid references places,
    current_waypoint uuid,
    cod_amount bigint,
    cod_currency text,
    cod_payment_method text,
    payment_method text,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create index on payloads (company, created_at, uuid) where deleted_at is null;
create index on payloads (pickup, uuid) where pickup is not null;
create index on payloads (dropoff, uuid) where dropoff is not null;
create index on payloads (return_place) where return_place is not null;
create unique index payloads_order on payloads (order_uuid) where order_uuid is not null;

create table waypoints (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null,
    payload uuid not null references payloads,
    position integer not null,
    type text not null check (type in ('pickup', 'dropoff')),
    place uuid not null references places,
    contact uuid references contacts,
    subflow text,
    time_window_start timestamptz,
    time_window_end timestamptz,
    service_time integer,
    notes text,
    pod_required boolean not null,
    pod_method text,
    -- Failed delivery attempts, and what to do with the goods.
    attempts integer not null default 0,
    undelivered text check (undelivered in ('hold', 'return')),
    -- The last activity of the order's flow at this stop.
    activity text,
    completed_at timestamptz,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create index on waypoints (payload, position) where deleted_at is null;
create index on waypoints (company, created_at, uuid) where deleted_at is null;
create index on waypoints (contact) where contact is not null;
create index on waypoints (payload) where deleted_at is not null;
create index on waypoints (place, payload);

create table entities (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null,
    payload uuid references payloads,
    -- The stop it is delivered to.
    destination uuid references waypoints,
    internal_id text,
    name text not null,
    type text not null,
    description text,
    sku text,
    expected_codes text[] not null,
    length double precision,
    width double precision,
    height double precision,
    dimensions_unit text not null,
    weight double precision,
    weight_unit text not null,
    declared_value bigint,
    price bigint,
    sale_price bigint,
    currency text,
    customer uuid references contacts,
    supplier uuid references vendors,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create index on entities (payload) where payload is not null and deleted_at is null;
create index on entities (destination) where customer is not null and deleted_at is null;
create index on entities (company, created_at, uuid) where deleted_at is null;
create index on entities (company, name, uuid) where deleted_at is null;
create index on entities (customer) where customer is not null;
create index on entities (company, sku, created_at, uuid)
    where sku is not null and deleted_at is null;
-- Nearly all entities are parcels; only the rarer types are searched for.
create index on entities (company, type, created_at, uuid)
    where type <> 'parcel' and deleted_at is null;
create index on entities (company, internal_id) where internal_id is not null and deleted_at is null;
create index entities_search on entities using gin (search_words(company,
    coalesce(name, '') || ' ' || coalesce(sku, '') || ' ' || coalesce(internal_id, '') || ' ' ||
    coalesce(description, ''))) with (fastupdate = off);
create index on entities (payload) where deleted_at is not null;


-- Orders: configurations, orders, tracking and delivery attempts.

-- Every company gets the default configuration when it is created.
create table order_configs (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    key text not null,
    name text not null,
    description text not null,
    status text not null check (status in ('active', 'inactive')),
    flow jsonb not null,
    subflows jsonb not null,
    failure_reasons jsonb not null default '[]',
    flow_version integer not null,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create unique index order_configs_key on order_configs (company, key) where deleted_at is null;
create index on order_configs (company, created_at, uuid) where deleted_at is null;
create index on order_configs (company, name, uuid) where deleted_at is null;

-- Every version of a flow is kept: an order stays with the version it began with.
create table order_config_versions (
    order_config uuid not null references order_configs,
    number integer not null,
    company uuid not null references companies,
    flow jsonb not null,
    subflows jsonb not null,
    failure_reasons jsonb not null default '[]',
    created_at timestamptz not null,
    primary key (order_config, number)
);
create index on order_config_versions (company);

create table orders (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    internal_id text,
    order_config uuid not null references order_configs,
    flow_version integer not null,
    type text not null,
    status text not null,
    activity text not null,
    payload uuid not null references payloads,
    customer uuid,
    customer_type text check (customer_type in ('contact', 'vendor')),
    facilitator uuid,
    facilitator_type text check (facilitator_type in ('contact', 'vendor')),
    driver uuid references drivers,
    vehicle uuid references vehicles,
    notes text,
    pod_required boolean not null,
    pod_method text,
    -- Failed delivery attempts at all stops, and what to do with the goods.
    attempts integer not null default 0,
    undelivered text check (undelivered in ('hold', 'return')),
    adhoc boolean not null,
    adhoc_distance integer,
    distance integer,
    time integer,
    route_source text,
    -- The ids of the accepted quote and of its first transaction.
    service_quote text,
    transaction text,
    price_status text not null default 'unpriced'
        check (price_status in ('unpriced', 'priced', 'accepted')),
    time_window_start timestamptz,
    time_window_end timestamptz,
    scheduled_at timestamptz,
    dispatch_after timestamptz,
    dispatched_at timestamptz,
    started_at timestamptz,
    completed_at timestamptz,
    canceled_at timestamptz,
    cancel_reason text,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz,
    check ((customer is null) = (customer_type is null)),
    check ((facilitator is null) = (facilitator_type is null))
);
create unique index orders_payload on orders (payload);
create index on orders (company, created_at, uuid) where deleted_at is null;
create index on orders (company, updated_at, uuid) where deleted_at is null;
create index on orders (company, status, uuid) where deleted_at is null;
create index on orders (company, status, created_at, uuid) where deleted_at is null;
create index on orders (company, type, created_at, uuid) where deleted_at is null;
create index on orders (company, driver, created_at, uuid)
    where driver is not null and deleted_at is null;
-- A driver's open orders, however many they have completed.
create index on orders (company, driver, created_at, uuid) where driver is not null
    and completed_at is null and canceled_at is null and deleted_at is null;
-- Includes deleted orders: erasure of a customer must find them.
create index on orders (company, customer, created_at, uuid) where customer is not null;
create index on orders (company, internal_id) where internal_id is not null and deleted_at is null;
create index on orders (company, vehicle, created_at, uuid)
    where vehicle is not null and deleted_at is null;
create index on orders (company, facilitator, created_at, uuid)
    where facilitator is not null and deleted_at is null;
create index on orders (company, scheduled_at)
    where scheduled_at is not null and deleted_at is null;
create index on orders (company, created_at, uuid) where pod_required and deleted_at is null;
create index on orders (company, price_status, created_at, uuid) where deleted_at is null;
create index on orders (company, created_at, uuid) where adhoc and deleted_at is null;
create index orders_search on orders using gin (search_words(company,
    coalesce(internal_id, '') || ' ' || coalesce(notes, '')))
    with (fastupdate = off) where internal_id is not null or notes is not null;
-- Orders that any driver may take.
create index on orders (company, dispatched_at, uuid) where adhoc and driver is null
    and dispatched_at is not null and completed_at is null and canceled_at is null
    and deleted_at is null;
-- Open orders, and orders without a driver.
create index on orders (company, created_at, uuid)
    where completed_at is null and canceled_at is null and deleted_at is null;
create index on orders (company, created_at, uuid) where driver is null and deleted_at is null;
-- Orders under way, completed orders, and open orders by their deadline.
create index on orders (company, created_at, uuid) where started_at is not null
    and completed_at is null and canceled_at is null and deleted_at is null;
create index on orders (company, completed_at, uuid)
    where completed_at is not null and deleted_at is null;
create index on orders
    (company, (least(time_window_end, case when status = 'created' then scheduled_at end)), uuid)
    where completed_at is null and canceled_at is null and deleted_at is null;
-- Orders on hold after a failed attempt, waiting for a decision.
create index on orders (company, created_at, uuid) where undelivered = 'hold'
    and completed_at is null and canceled_at is null and deleted_at is null;
-- Open orders by driver, for all companies.
create index on orders (driver) where driver is not null
    and completed_at is null and canceled_at is null and deleted_at is null;
-- Scheduled orders, by the time they are dispatched.
create index orders_due on orders (greatest(scheduled_at, dispatch_after), uuid)
    where status = 'created' and scheduled_at is not null and deleted_at is null
        and (adhoc or driver is not null);

-- Orders whose route is still to be measured; `due_at` moves ahead while an engine is asked.
create table order_routes (
    order_uuid uuid primary key references orders,
    company uuid not null references companies,
    attempts integer not null default 0,
    due_at timestamptz not null
);
create index on order_routes (due_at);

alter table payloads add foreign key (order_uuid) references orders deferrable initially deferred;

create table tracking_numbers (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null,
    -- Collated by bytes, so that the same index finds prefixes.
    number text collate "C" not null unique,
    order_uuid uuid not null references orders,
    subject_type text not null check (subject_type in ('order', 'waypoint', 'entity')),
    subject uuid not null,
    region text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create unique index tracking_numbers_subject on tracking_numbers (subject);
create index on tracking_numbers (order_uuid);
create index on tracking_numbers (company, created_at, uuid) where deleted_at is null;

-- What happened to an order: one row per activity, of a stop or of the whole order.
create table tracking_statuses (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null,
    order_uuid uuid not null references orders,
    tracking_number uuid not null references tracking_numbers,
    code text not null,
    status text not null,
    details text not null,
    complete boolean not null,
    place uuid references places,
    latitude double precision,
    longitude double precision,
    -- Written by a person or an integrator, not by the flow.
    manual boolean not null,
    -- Who did it, by the name they had then.
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    -- When it happened, by the device's clock; `created_at` is when it was received. `clock_skew`
    -- is how many seconds the device's clock was outside the plausible range.
    occurred_at timestamptz not null,
    clock_skew bigint,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create index on tracking_statuses (order_uuid, created_at, uuid) where deleted_at is null;
create index on tracking_statuses (tracking_number, created_at, uuid);
create index on tracking_statuses (company, created_at, uuid) where deleted_at is null;
-- Every order has these codes; only the rarer ones are searched for.
create index on tracking_statuses (company, code, created_at, uuid)
    where code not in ('created', 'dispatched', 'started', 'completed') and deleted_at is null;

-- Failed delivery attempts: at a stop, or of an order without stops.
create table delivery_attempts (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    order_uuid uuid not null references orders,
    waypoint uuid references waypoints,
    number integer not null,
    reason text not null,
    -- The label that the reason had then.
    label text not null,
    remarks text,
    -- What happens next: as the reason says, or as somebody decided at `decided_at`.
    outcome text not null check (outcome in ('retry', 'return', 'hold')),
    decided_at timestamptz,
    -- As in `tracking_statuses`.
    occurred_at timestamptz not null,
    clock_skew bigint,
    -- The public ids of the proofs captured there.
    proofs text[] not null,
    latitude double precision,
    longitude double precision,
    -- Who reported it, by the name they had then.
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create index on delivery_attempts (order_uuid, created_at, uuid) where deleted_at is null;


-- News: delivery updates to recipients, each sent once, and who has unsubscribed.

create table news (
    uuid uuid primary key,
    company uuid not null,
    order_uuid uuid not null,
    -- The stop it is about, or the order.
    subject uuid not null,
    person uuid not null,
    kind text not null check (kind in (
        'on_its_way', 'next_stop', 'delivered', 'could_not_be_delivered', 'cancelled')),
    attempt integer not null,
    -- The channel it was sent by; null if none reached them.
    channel text check (channel in ('push', 'sms', 'email')),
    created_at timestamptz not null
);
-- Each update is sent to a person once.
create unique index news_once on news (order_uuid, subject, person, kind, attempt);
create index on news (company, created_at);

-- Events that may lead to updates and are not handled yet: per company, in order.
create table news_queue (
    company uuid not null,
    position bigint generated always as identity,
    event uuid not null,
    primary key (company, position)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

create table news_quiet (
    company uuid not null,
    -- A phone number, an e-mail address, or a customer's account.
    recipient text not null,
    created_at timestamptz not null,
    primary key (company, recipient)
);

-- Who wants no updates about one delivery.
create table news_muted (
    company uuid not null,
    order_uuid uuid not null references orders on delete cascade,
    person uuid not null,
    created_at timestamptz not null,
    primary key (order_uuid, person)
);


-- Proofs of delivery: captured evidence, chained per order.

-- The public halves of the signing keys, kept forever. A key's successor signs its dates and public
-- half, so that it can be trusted after its secret half has been destroyed.
create table proof_keys (
    key_id text primary key,
    public_key bytea not null,
    began_at timestamptz not null,
    ended_at timestamptz,
    successor text references proof_keys,
    voucher bytea,
    check (num_nulls(ended_at, successor, voucher) in (0, 3))
);

create table proofs (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    order_uuid uuid not null references orders,
    subject_type text not null check (subject_type in ('order', 'waypoint', 'entity')),
    subject_uuid uuid not null,
    subject_id text not null,
    method text not null check (method in ('scan', 'signature', 'photo', 'sms', 'override')),
    status text not null check (status = 'valid'),
    file uuid references files,
    thumbnail uuid references files,
    raw_data text,
    data jsonb not null,
    remarks text,
    -- The activity it was captured for, if stated.
    activity text,
    driver uuid references drivers,
    -- Who sent it, by the name they had then.
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    -- Chosen by the device, so that a proof sent twice is stored once.
    client_uuid uuid,
    content_hash bytea not null,
    -- When it was captured, by the device's clock, and when it was received, by ours.
    created_at timestamptz not null,
    received_at timestamptz not null,
    -- What was signed, and the link to the proof before it.
    sequence integer not null,
    facts bytea not null,
    previous bytea,
    hash bytea not null,
    signature bytea not null,
    key_id text not null,
    -- The tracking status that this proof allowed; a proof is used once.
    used_by uuid references tracking_statuses deferrable initially deferred,
    -- When the person it shows was erased. The content is gone, its hash and signature stay, and
    -- the erasure itself is signed, so that nobody can pass off a deleted proof as an erased one.
    erased_at timestamptz,
    erasure bytea,
    erasure_key text,
    check (num_nulls(erased_at, erasure, erasure_key) in (0, 3))
);
-- The signed number of an order's proofs and its last one: reveals a chain that was cut short.
create table proof_heads (
    order_uuid uuid primary key references orders,
    company uuid not null references companies,
    number bigint not null,
    statement bytea not null,
    signature bytea not null,
    key_id text not null,
    unique (company, number)
);

-- The signed number of a company's orders with proofs. Their heads are numbered without gaps, so an
-- order that was removed with all its proofs is noticed.
create table proof_registers (
    company uuid primary key references companies,
    count bigint not null,
    statement bytea not null,
    signature bytea not null,
    key_id text not null
);

create unique index proofs_chain on proofs (order_uuid, sequence);
create unique index proofs_client on proofs (company, client_uuid) where client_uuid is not null;
create index on proofs (company, received_at, uuid);
create index on proofs (company, subject_type, received_at, uuid);
create index on proofs (company, method, received_at, uuid);
create index on proofs (company, driver, received_at, uuid) where driver is not null;
create index on proofs (subject_uuid);
create index proofs_pictures on proofs (company, (data #>> '{image,stored_sha256}'))
    where data #>> '{image,stored_sha256}' is not null;

-- Wrong delivery codes per stop: since the last code was sent, and in total.
create table proof_codes (
    company uuid not null references companies,
    subject uuid not null,
    wrong integer not null,
    wrong_in_all integer not null,
    primary key (company, subject)
);


-- Rates: what a delivery costs, in all versions.

create table service_rates (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    service_name text not null,
    service_type text not null,
    status text not null check (status in ('active', 'inactive')),
    public boolean not null,
    currency text not null,
    service_area uuid references service_areas,
    zone uuid references zones,
    zone_applies_to text not null check (zone_applies_to in ('origin', 'destination', 'both')),
    order_config uuid references order_configs,
    facilitator uuid,
    facilitator_type text check (facilitator_type in ('contact', 'vendor')),
    valid_from timestamptz,
    valid_until timestamptz,
    min_weight numeric,
    max_weight numeric,
    min_volume numeric,
    max_volume numeric,
    min_distance integer,
    max_distance numeric,
    max_distance_unit text not null,
    min_stops integer,
    max_stops integer,
    min_cod bigint,
    max_cod bigint,
    rate_calculation_method text not null,
    base_fee bigint not null,
    per_meter_flat_rate_fee numeric,
    per_meter_unit text not null,
    distance_rounding text not null check (distance_rounding in ('exact', 'started_unit')),
    meter_fees jsonb not null,
    open_ended boolean not null,
    drop_fees jsonb not null,
    weight_fees jsonb not null,
    volumetric_divisor integer,
    volume_fees jsonb not null,
    parcel_fees jsonb not null,
    zone_fees jsonb not null,
    algorithm text,
    minimum_fee bigint,
    maximum_fee bigint,
    has_cod_fee boolean not null,
    cod_calculation_method text check (cod_calculation_method in ('flat', 'percentage')),
    cod_flat_fee bigint,
    cod_percent numeric,
    has_peak_hours_fee boolean not null,
    peak_hours_calculation_method text
        check (peak_hours_calculation_method in ('flat', 'percentage')),
    peak_hours_flat_fee bigint,
    peak_hours_percent numeric,
    peak_hours_start text,
    peak_hours_end text,
    peak_windows jsonb not null,
    timezone text,
    quote_life integer,
    duration_terms text,
    estimated_days integer,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create index on service_rates (company, created_at, uuid) where deleted_at is null;
create index on service_rates (company, service_name, uuid) where deleted_at is null;

-- A quote refers to the version of the rate it was computed with.
create table service_rate_versions (
    service_rate uuid not null references service_rates,
    number integer not null,
    company uuid not null references companies,
    terms jsonb not null,
    created_at timestamptz not null,
    primary key (service_rate, number)
);

-- Quotes made for orders, and signed quotes that were accepted. Expiry is judged by the clock.
create table service_quotes (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    order_uuid uuid references orders,
    order_id text,
    service_rate uuid not null references service_rates,
    service_rate_id text not null,
    service_rate_version integer not null,
    service_name text not null,
    service_type text not null,
    amount bigint not null,
    currency text not null,
    items jsonb not null,
    distance integer not null,
    time integer not null,
    route_source text not null,
    -- Hash of the shipment that was priced; it is priced again only when this changes.
    shipment bytea not null,
    -- Hash of the signed quote id that was accepted.
    signature bytea,
    state text not null check (state in ('open', 'accepted', 'replaced')),
    expired_at timestamptz not null,
    accepted_at timestamptz,
    transaction text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null
);
-- An order accepts one quote, and a signed quote is accepted once.
create unique index service_quotes_accepted on service_quotes (order_uuid)
    where state = 'accepted' and order_uuid is not null;
create unique index service_quotes_signature on service_quotes (company, signature)
    where signature is not null;
create index on service_quotes (company, created_at, uuid);
create index on service_quotes (company, state, created_at, uuid);
create index on service_quotes (order_uuid, created_at, uuid) where order_uuid is not null;
create index on service_quotes (order_uuid) where state = 'open';
create index on service_quotes (service_rate);


-- Payments: customers' accounts at a gateway, created when first needed.

create table payment_customers (
    company uuid not null references companies,
    customer uuid not null references customers,
    -- Test and live mode of one provider count as different gateways.
    gateway text not null,
    account text not null,
    created_at timestamptz not null,
    primary key (customer, gateway)
);
-- No account is shared: nobody gets another customer's cards.
create unique index payment_customers_account on payment_customers (gateway, account);

-- What is owed or was paid for an order, in minor units; the items add up to the amount.
create table transactions (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    order_uuid uuid references orders,
    quote uuid,
    -- The quote's id; a signed quote has no row.
    quote_id text,
    customer uuid,
    customer_type text check (customer_type in ('contact', 'vendor')),
    amount bigint not null check (amount >= 0),
    currency text not null,
    -- Derived from the gateway's facts.
    status text not null,
    amount_paid bigint not null,
    amount_refunded bigint not null,
    -- Null if none is configured, and payment happens elsewhere.
    gateway text,
    paid_at timestamptz,
    voided_at timestamptz,
    void_reason text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    check ((customer is null) = (customer_type is null))
);
create index on transactions (company, created_at, uuid);
create index on transactions (company, status, created_at, uuid);
create index on transactions (company, order_uuid, created_at, uuid) where order_uuid is not null;
create index on transactions (company, customer, created_at, uuid) where customer is not null;
create index on transactions (company, quote_id, created_at, uuid) where quote_id is not null;

create table transaction_items (
    transaction uuid not null references transactions,
    position integer not null,
    code text not null,
    details text not null,
    amount bigint not null,
    primary key (transaction, position)
);

-- Payment pages at a gateway. The row is written before the gateway is asked for the page, so that
-- nothing is lost in a crash; `due_at` is when the worker checks it.
create table checkouts (
    uuid uuid primary key,
    company uuid not null references companies,
    transaction uuid not null references transactions,
    gateway text not null,
    state text not null
        check (state in ('wanted', 'open', 'closing', 'processing', 'paid', 'declined', 'expired')),
    session text,
    url text,
    expires_at timestamptz,
    return_url text,
    payment text,
    error text,
    attempts integer not null,
    due_at timestamptz,
    created_at timestamptz not null
);
create index on checkouts (transaction, created_at, uuid);
create index checkouts_due on checkouts (gateway, due_at, uuid) where due_at is not null;
create unique index checkouts_session on checkouts (gateway, session) where session is not null;
create unique index checkouts_payment on checkouts (gateway, payment) where payment is not null;
create index on checkouts (gateway, created_at, uuid);
-- At most one open payment page per transaction.
create unique index checkouts_living on checkouts (transaction) where state in ('wanted', 'open');

create table refunds (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    transaction uuid not null references transactions,
    gateway text not null,
    payment text not null,
    amount bigint not null check (amount > 0),
    reason text,
    state text not null check (state in ('wanted', 'pending', 'succeeded', 'failed')),
    -- The gateway's id of the refund.
    reference text,
    error text,
    attempts integer not null,
    due_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null
);
create index on refunds (transaction, created_at, uuid);
create index refunds_due on refunds (gateway, due_at, uuid) where due_at is not null;
create unique index refunds_reference on refunds (gateway, reference) where reference is not null;

-- What gateways reported, each fact once, in whatever order it came. A refund may be reported before
-- its payment and waits here for it; if the payment never comes, the refund was not ours.
create table payment_facts (
    gateway text not null,
    name text not null,
    kind text not null,
    checkout uuid,
    payment text,
    amount bigint not null,
    currency text,
    refund text,
    own_refund uuid,
    refund_state text,
    told_at timestamptz not null,
    primary key (gateway, name)
);
create index on payment_facts (checkout) where checkout is not null;
create index on payment_facts (gateway, payment) where payment is not null;
create index payment_facts_unplaced on payment_facts (told_at) where checkout is null;


-- Devices: trackers and phones, the vehicles they were on, their events, and what follows from them.

create table devices (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    -- Identifies its events; half as wide as a UUID.
    number bigint generated always as identity unique,
    name text not null,
    kind text not null check (kind in
        ('tracker', 'obd', 'sensor', 'camera', 'phone', 'gateway', 'virtual')),
    -- The name it reports under: an IMEI, a serial number or an app's id.
    identifier text,
    provider text,
    -- The vehicle it is attached to now; the history is in `attachments`.
    vehicle uuid references vehicles,
    -- The driver whose phone it is.
    driver uuid references drivers,
    -- Expected seconds between two reports.
    reporting_interval integer not null default 300 check (reporting_interval between 1 and 86400),
    -- Whether unknown devices behind this gateway are registered automatically.
    adopts boolean not null default false,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create unique index devices_identifier on devices (identifier, company)
    where identifier is not null and deleted_at is null;
-- For look-ups by identifier: the planner takes it even when statistics say the table is empty.
create index devices_named on devices (identifier, company) where identifier is not null;
create unique index devices_phone on devices (driver)
    where driver is not null and deleted_at is null;
create index on devices (company, created_at, uuid) where deleted_at is null;
create index on devices (company, updated_at, uuid) where deleted_at is null;
create index on devices (company, name, uuid) where deleted_at is null;
create index on devices (company, kind, created_at, uuid) where deleted_at is null;
create index devices_search on devices using gin (search_parts(company,
    coalesce(name, '') || ' ' || coalesce(identifier, '') || ' ' || coalesce(provider, '')))
    with (fastupdate = off);
create index on devices (vehicle) where vehicle is not null;
create index on devices (driver) where driver is not null;

-- A counter of changes to a company's devices and their drivers, which caches compare. It is
-- incremented at commit, so that nobody waits for it while holding other locks, and once per
-- transaction, because each further increment would step over the dead rows of those before it.
create table device_changes (
    company uuid primary key references companies,
    count bigint not null
) with (fillfactor = 50);
create function count_device_change() returns trigger language plpgsql as $$
begin
    insert into device_changes as c (company, count) values (old.company, 1)
    on conflict (company) do update set count = c.count + 1
    where c.xmin <> pg_current_xact_id()::xid;
    return null;
end $$;
create constraint trigger device_changed after update or delete on devices
    deferrable initially deferred for each row execute function count_device_change();
create constraint trigger driver_changed after update of deleted_at or delete on drivers
    deferrable initially deferred for each row execute function count_device_change();

-- Which vehicle a device was attached to, and when.
create table attachments (
    uuid uuid primary key,
    company uuid not null references companies,
    device uuid not null references devices,
    vehicle uuid not null references vehicles,
    since timestamptz not null,
    until timestamptz
);
create unique index attachments_going_on on attachments (device) where until is null;
create index on attachments (device, since);
create index on attachments (vehicle, since);

-- Which vehicle a device was on: attached to it, or the phone of its driver. Ends at the latest when
-- the vehicle is deleted.
create view device_spans as
    select a.uuid, a.company, a.device, d.number as device_no, a.vehicle,
        v.public_id as vehicle_id, a.since, least(a.until, v.deleted_at) as until
    from attachments a join devices d on d.uuid = a.device join vehicles v on v.uuid = a.vehicle
    where a.since < v.deleted_at or v.deleted_at is null
    union all
    select r.uuid, r.company, d.uuid, d.number, r.vehicle,
        v.public_id, r.since, least(r.until, v.deleted_at)
    from drives r join devices d on d.driver = r.driver join vehicles v on v.uuid = r.vehicle
    where r.since < v.deleted_at or v.deleted_at is null;

-- Every reading once. Device, time and key are its identity, its order and the page cursor.
-- Partitioned by class, then by time; a partition is dropped when nobody needs it any more.
create table device_events (
    device_no bigint not null,
    occurred_at timestamptz not null,
    event_key bigint not null,
    batch bigint not null,
    company uuid not null,
    latitude double precision,
    longitude double precision,
    speed double precision,
    heading double precision,
    altitude double precision,
    accuracy double precision,
    -- 0 position, 1 telemetry, 2 alert, 3 heartbeat, 4 anything else.
    class smallint not null,
    -- The number of its type; 0 for an unknown type, whose name is in `type`.
    kind smallint not null,
    severity smallint,
    -- 1 late, 2 clock corrected, 4 derived by us, 8 without a time of its own.
    flags smallint not null,
    type text,
    -- All other fields.
    data jsonb
) partition by list (class);
create unique index device_events_key on device_events (device_no, occurred_at, event_key, class);
create index device_events_company on device_events (company, occurred_at);
create index device_events_batch on device_events (batch);
-- Most events have no severity.
create index device_events_severity on device_events (company, severity, occurred_at)
    where severity is not null;

create table device_events_positions partition of device_events for values in (0)
    partition by range (occurred_at);
create table device_events_telemetry partition of device_events for values in (1)
    partition by range (occurred_at);
create table device_events_alerts partition of device_events for values in (2)
    partition by range (occurred_at);
create table device_events_heartbeats partition of device_events for values in (3)
    partition by range (occurred_at);
create table device_events_other partition of device_events for values in (4)
    partition by range (occurred_at);
-- Partitions are created in advance. Rows in a default partition came without one, and are reported.
create table device_events_positions_default partition of device_events_positions default;
create table device_events_telemetry_default partition of device_events_telemetry default;
create table device_events_alerts_default partition of device_events_alerts default;
create table device_events_heartbeats_default partition of device_events_heartbeats default;
create table device_events_other_default partition of device_events_other default;
-- For lists of one type.
create index on device_events_telemetry (company, kind, occurred_at);
create index on device_events_alerts (company, kind, occurred_at);
create index on device_events_other (company, type, occurred_at);

-- Events of devices with a wrong clock, by the time they first arrived, to recognise duplicates.
create table device_corrections (
    device_no bigint not null,
    event_key bigint not null,
    occurred_at timestamptz not null,
    primary key (device_no, event_key)
);
create index on device_corrections (occurred_at);

-- What one transaction stored for one company. Readers follow transaction ids, and only below the
-- oldest one still running, so that nothing appears behind them.
create table device_batches (
    batch bigint generated always as identity primary key,
    company uuid not null references companies,
    xid bigint not null,
    received_at timestamptz not null,
    -- The range of its events' times, so that few partitions are searched.
    earliest timestamptz not null,
    latest timestamptz not null,
    events integer not null
);
create index on device_batches (company, xid, batch);
create index on device_batches (xid, batch);
create index on device_batches (received_at);

-- Batches stored under load whose effects (current position, status) are still to be applied. The
-- process that stored a batch does so soon after; older rows were left by one that died.
create table device_put_off (
    batch bigint primary key,
    batches bigint[] not null,
    received_at timestamptz not null,
    -- Devices that reported, but nothing new.
    heard uuid[] not null,
    -- When to try again after a failure.
    again_at timestamptz
);

create table device_states (
    device uuid primary key references devices,
    company uuid not null references companies,
    last_seen_at timestamptz not null,
    last_event_at timestamptz,
    -- The last status in an event, and when to check whether the device has gone silent. A report
    -- does not move `status_due_at`, because that would update its index each time; the check does.
    status text not null check (status in ('online', 'stale', 'offline')),
    status_due_at timestamptz
) with (fillfactor = 70);
create index on device_states (company, status);
create index device_states_due on device_states (status_due_at) where status_due_at is not null;

-- The latest reading of each type.
create table device_latest (
    device uuid not null references devices,
    company uuid not null references companies,
    kind smallint not null,
    type text not null default '',
    occurred_at timestamptz not null,
    event_key bigint not null,
    severity smallint,
    data jsonb,
    primary key (device, kind, type)
) with (fillfactor = 70);
create index on device_latest (company);

-- Positions that the rules have not seen yet: one row per device and flush, with their time range.
-- No foreign keys, because these rows are many and short-lived.
create table device_backlog (
    position bigint generated always as identity primary key,
    company uuid not null,
    device uuid not null,
    since timestamptz not null,
    until timestamptz not null
);
create index on device_backlog (device, since, position);
create index on device_backlog (company, position);

-- The rules' state after a device's latest position; locked while a device is worked on.
create table device_folds (
    device uuid primary key references devices,
    company uuid not null references companies,
    at timestamptz not null,
    state jsonb not null,
    -- Number of positions since the latest checkpoint.
    positions integer not null
) with (fillfactor = 70);

-- The rules' state at earlier times, from which they start again when a late position arrives.
create table device_checkpoints (
    device uuid not null references devices,
    at timestamptz not null,
    company uuid not null references companies,
    state jsonb not null,
    primary key (device, at)
);

-- Derived alerts, by the time at which each became certain; deriving a time range again replaces
-- the alerts in it.
create table device_alerts (
    device_no bigint not null,
    decided_at timestamptz not null,
    occurred_at timestamptz not null,
    event_key bigint not null,
    primary key (device_no, decided_at, event_key)
);
create index on device_alerts (decided_at);

create table device_trips (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    device uuid not null references devices,
    started_at timestamptz not null,
    ended_at timestamptz,
    start_latitude double precision not null,
    start_longitude double precision not null,
    end_latitude double precision not null,
    end_longitude double precision not null,
    distance double precision not null,
    moving_seconds double precision not null,
    idle_seconds double precision not null,
    longest_stop_seconds double precision not null,
    max_speed double precision
);
create unique index device_trips_start on device_trips (device, started_at);
create index on device_trips (company, started_at);

-- Events per hour, of each device and (as number 0) of all; every batch is added once. Derived
-- alerts are not counted, because they may be replaced. No foreign keys: rows change often.
create table device_counts (
    company uuid not null,
    device_no bigint not null,
    hour timestamptz not null,
    kind smallint not null,
    type text not null default '',
    events bigint not null,
    primary key (company, device_no, hour, kind, type)
);
create index on device_counts (hour);
-- The last batch that was counted; one row.
create table device_counted (
    place boolean primary key default true check (place),
    xid bigint not null,
    batch bigint not null
);

-- Readings that were refused, and why.
create table device_rejects (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    device uuid references devices,
    -- The device's name as the sender gave it.
    named text,
    code text not null,
    reason text not null,
    body bytea not null,
    received_at timestamptz not null
);
create index on device_rejects (company, received_at, uuid);


-- Webhooks: endpoints, deliveries and attempts.

-- A delivery's public id, made from its UUID so that it needs no column.
create function delivery_name(uuid uuid) returns text language sql immutable as $$
    select 'delivery_' || replace(uuid::text, '-', '')
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

-- How an endpoint is doing; apart from its settings, which others read and lock.
create table webhook_health (
    webhook uuid primary key references webhooks on delete cascade,
    company uuid not null references companies,
    failing_since timestamptz,
    failures integer not null,
    last_success_at timestamptz,
    last_failure_at timestamptz,
    -- When the admins were warned that it keeps failing.
    warned_at timestamptz
);

-- Three tables are written for every delivery, so each index must be worth its cost, and there are no
-- foreign keys: endpoints and companies are never deleted, and events only after a check here.

-- The log: what was to be sent where. Written once, and once more only if it fails.
create table webhook_deliveries (
    uuid uuid primary key,
    company uuid not null,
    webhook uuid not null,
    event uuid,
    -- The body of a ping, which is no event.
    body bytea,
    name text not null,
    subject text not null,
    thread text not null,
    sequence bigint not null,
    created_at timestamptz not null,
    -- How it failed. Null while it is in the queue, and after success.
    state text check (state in ('failed', 'superseded', 'cancelled')),
    finished_at timestamptz,
    check ((event is null) <> (body is null)),
    check ((state is null) = (finished_at is null))
);
create index on webhook_deliveries (company, created_at, uuid);
create index on webhook_deliveries (webhook, created_at, uuid);
create index on webhook_deliveries (company, name, created_at, uuid);
create index on webhook_deliveries (company, state, created_at, uuid) where state is not null;
create index on webhook_deliveries (webhook, thread, sequence);
create index on webhook_deliveries (event);

-- The queue: deliveries still to be sent, and attempts under way. Whether deliveries are held or
-- cancelled depends on their endpoint's state.
create table webhook_queue (
    delivery uuid primary key,
    company uuid not null,
    webhook uuid not null,
    -- Null for a ping.
    event uuid,
    -- Null for replays and pings, which are not ordered.
    thread text,
    sequence bigint not null,
    due_at timestamptz not null,
    -- How often it was replayed; each round has the full retry schedule.
    round integer not null default 0,
    retries integer not null default 0,
    attempts integer not null default 0,
    -- Whether it may be sent: it is the first of its thread, or was before.
    ready boolean not null,
    -- Whether an attempt has ended, so that the next one of the thread may start.
    tried boolean not null default false,
    -- The sender whose attempt is under way, and until when its lease lasts. Not indexed: taking a
    -- row then writes only its page, which has room for it.
    sender integer,
    started_at timestamptz,
    lease_until timestamptz
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
-- Rows are deleted by the thousand, and readers step over their index entries until these are marked
-- dead. An entry shared by many rows is marked only when all of them are gone: no deduplication.
create index webhook_queue_due on webhook_queue (webhook, due_at, sequence)
    with (deduplicate_items = off) where ready;
create index webhook_queue_threads on webhook_queue (webhook, thread, tried, ready, sequence);

-- Deliveries taken together, and by whom, to find the attempts of a sender that died. Some may have
-- ended since; the queue is authoritative.
create table webhook_claims (
    uuid uuid primary key,
    sender integer not null,
    started_at timestamptz not null,
    lease_until timestamptz not null,
    deliveries uuid[] not null
) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 2000);

-- Each endpoint's earliest due delivery; the cost grows with endpoints, not with deliveries.
create view webhook_lanes as
    with recursive lanes as (
        (select webhook, due_at from webhook_queue where ready and sender is null
         order by webhook, due_at limit 1)
        union all
        select next.webhook, next.due_at from lanes cross join lateral (
            select webhook, due_at from webhook_queue
            where ready and sender is null and webhook > lanes.webhook
            order by webhook, due_at limit 1) next)
    select webhook, due_at from lanes;

-- The log of attempts, written when they end; until then they are in the queue.
create table webhook_attempts (
    company uuid not null,
    delivery uuid not null,
    number integer not null,
    round integer not null,
    retries integer not null,
    trigger text not null check (trigger in ('event', 'retry', 'replay', 'ping')),
    outcome text not null check (outcome in (
        'succeeded', 'refused', 'timeout', 'dns', 'connect', 'tls', 'blocked', 'disconnected',
        'malformed', 'internal', 'interrupted')),
    started_at timestamptz not null,
    finished_at timestamptz not null,
    status integer,
    error text,
    remote_address text,
    -- JSON as text: nobody searches it, so it is not parsed again.
    phases text,
    request_headers text,
    response_headers text,
    response_body bytea,
    response_cut boolean not null default false,
    primary key (delivery, number)
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
        from information_schema.columns join information_schema.tables
            using (table_schema, table_name)
        where table_schema = current_schema() and table_type = 'BASE TABLE'
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
