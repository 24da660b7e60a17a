-- The fleet: drivers, vehicles, the fleets they belong to, where they are, what went wrong.
-- `version` counts changes of a row's own details; a position moves a row without counting.

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
    status text not null,
    online boolean not null,
    latitude double precision,
    longitude double precision,
    heading double precision,
    altitude double precision,
    speed double precision,
    located_at timestamptz,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on vehicles (company, created_at, uuid) where deleted_at is null;
create index on vehicles (company, updated_at, uuid) where deleted_at is null;
create index on vehicles (company, status, uuid) where deleted_at is null;

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
    latitude double precision,
    longitude double precision,
    heading double precision,
    altitude double precision,
    speed double precision,
    located_at timestamptz,
    -- Where the driver was when a move was last told, so that many small steps add up to one.
    told_latitude double precision,
    told_longitude double precision,
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
create index on drivers (company, latitude, longitude)
    where deleted_at is null and latitude is not null;

create table driver_tokens (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    driver uuid not null references drivers,
    secret_hash bytea not null,
    created_at timestamptz not null,
    last_used_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz
);
create index on driver_tokens (driver) where revoked_at is null;

-- Where a driver, a vehicle or both were; also what came late and moved nobody.
create table positions (
    uuid uuid primary key,
    company uuid not null references companies,
    driver uuid,
    vehicle uuid,
    latitude double precision not null,
    longitude double precision not null,
    heading double precision,
    altitude double precision,
    speed double precision,
    accuracy double precision,
    recorded_at timestamptz not null,
    created_at timestamptz not null
);
create index on positions (driver, recorded_at, uuid) where driver is not null;
create index on positions (vehicle, recorded_at, uuid) where vehicle is not null;

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
    resolution text,
    resolved_at timestamptz,
    meta jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null default 1,
    deleted_at timestamptz
);
create index on issues (company, created_at, uuid) where deleted_at is null;
create index on issues (company, updated_at, uuid) where deleted_at is null;
create index on issues (company, status, uuid) where deleted_at is null;
create index on issues (company, priority, uuid) where deleted_at is null;
create index on issues (driver) where driver is not null;
create index on issues (vehicle) where vehicle is not null;
