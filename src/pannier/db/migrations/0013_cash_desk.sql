-- The cash desk: collections by drivers, hand-ins and remittances.

create table cash_hand_ins (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    driver uuid not null references drivers,
    currency text not null,
    collections integer not null,
    expected_amount bigint not null,
    counted_amount bigint not null,
    difference bigint not null check (difference = counted_amount - expected_amount),
    remarks text,
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null
);
create index on cash_hand_ins (company, created_at, uuid);
create index on cash_hand_ins (driver);

create table cash_remittances (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    -- A contact or a vendor.
    customer uuid not null,
    customer_type text not null check (customer_type in ('contact', 'vendor')),
    currency text not null,
    collections integer not null,
    amount bigint not null,
    reference text,
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null
);
create index on cash_remittances (company, created_at, uuid);
create index on cash_remittances (customer);

create table cash_collections (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    order_uuid uuid not null,
    order_id text not null,
    -- Null for an order without stops.
    waypoint uuid,
    waypoint_id text,
    driver uuid not null references drivers,
    -- The order's customer, a contact or a vendor.
    customer uuid,
    customer_type text check (customer_type in ('contact', 'vendor')),
    amount_due bigint not null,
    amount bigint not null check (amount >= 0),
    currency text not null,
    method text not null check (method in ('card', 'check', 'cash', 'bank_transfer')),
    reason text,
    collected_at timestamptz not null,
    clock_skew integer,
    client_uuid uuid,
    hand_in uuid references cash_hand_ins,
    remittance uuid references cash_remittances,
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null
);
-- The cash of a stop is collected once.
create unique index on cash_collections (order_uuid, coalesce(waypoint, order_uuid));
create unique index on cash_collections (company, client_uuid) where client_uuid is not null;
create index on cash_collections (company, created_at, uuid);
create index on cash_collections (driver) where hand_in is null;
create index on cash_collections (customer) where remittance is null;
create index on cash_collections (hand_in) where hand_in is not null;
create index on cash_collections (remittance) where remittance is not null;

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
        from information_schema.columns
        where table_schema = current_schema() and table_name in
            ('cash_collections', 'cash_hand_ins', 'cash_remittances')
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
