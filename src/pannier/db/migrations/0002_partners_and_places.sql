-- Who a company works with, and where: contacts, vendors, places, service areas, zones.
-- Rows that leave are marked and stay, because orders and proofs go on naming them.

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
    longitude double precision,
    latitude double precision,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz,
    check ((longitude is null) = (latitude is null))
);
create index on places (company, created_at, uuid) where deleted_at is null;

create table contacts (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    internal_id text,
    name text not null,
    title text,
    email text,
    phone text,
    type text not null,
    place uuid references places,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on contacts (company, created_at, uuid) where deleted_at is null;
create index on contacts (company, name, uuid) where deleted_at is null;
create index on contacts (company, phone) where deleted_at is null;
create index on contacts (company, lower(email)) where deleted_at is null;
create index on contacts (company, internal_id) where deleted_at is null;

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

-- A border is GeoJSON; its bounding box finds the few borders that a point could be in.
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
