-- What travels (payloads, their stops and items), the orders that move it, and where it has been.

create table payloads (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    -- The order that moves it; a payload belongs to one order at the most.
    order_uuid uuid,
    -- Where its order stands: stops are free to change, under way, or history.
    state text not null check (state in ('open', 'begun', 'closed')),
    type text,
    -- Of a payload with waypoints: the places of the first and the last one.
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

create table waypoints (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
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
    -- The last activity of the order's flow that happened here.
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

create table entities (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    payload uuid references payloads,
    -- The stop it is handed over at.
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
create index on entities (destination) where destination is not null and deleted_at is null;
create index on entities (company, created_at, uuid) where deleted_at is null;
create index on entities (company, name, uuid) where deleted_at is null;

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
    adhoc boolean not null,
    adhoc_distance integer,
    distance integer,
    time integer,
    time_window_start timestamptz,
    time_window_end timestamptz,
    scheduled_at timestamptz,
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
create index on orders (company, driver, created_at, uuid)
    where driver is not null and deleted_at is null;
create index on orders (company, customer, created_at, uuid)
    where customer is not null and deleted_at is null;
create index on orders (company, internal_id) where internal_id is not null and deleted_at is null;
-- What is due to dispatch itself.
create index on orders (scheduled_at)
    where status = 'created' and scheduled_at is not null and deleted_at is null;

alter table payloads add foreign key (order_uuid) references orders deferrable initially deferred;
create unique index payloads_order on payloads (order_uuid) where order_uuid is not null;

create table tracking_numbers (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    number text not null unique,
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

-- What happened to an order, once for each activity: at a stop, or on the whole.
create table tracking_statuses (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
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
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    deleted_at timestamptz
);
create index on tracking_statuses (order_uuid, created_at, uuid) where deleted_at is null;
create index on tracking_statuses (tracking_number, created_at, uuid) where deleted_at is null;
create index on tracking_statuses (company, created_at, uuid) where deleted_at is null;
