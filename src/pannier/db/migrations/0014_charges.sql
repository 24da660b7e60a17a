-- Lines of transactions as charges, payments that people record, balances, and settings of billing.

-- The lines of a transaction; their sum is its amount. They are only ever added. A change of a price
-- is another line.
create table charges (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    transaction uuid not null references transactions,
    position integer not null,
    kind text not null check (kind in ('quote', 'adjustment', 'waiting', 'redelivery', 'return',
        'cancellation', 'surcharge', 'discount', 'goodwill', 'other')),
    code text not null,
    details text not null,
    -- Minor units with tax. Credits are negative.
    amount bigint not null,
    tax_rate numeric(7, 4) check (tax_rate between 0 and 100),
    -- The part of the amount that is tax.
    tax_amount bigint not null default 0,
    reason text,
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    created_at timestamptz not null,
    unique (transaction, position)
);
create index on charges (company, created_at, uuid);

insert into charges
select gen_random_uuid(), 'charge_' || translate(gen_random_uuid()::text, '-', ''), t.company,
    i.transaction, i.position,
    case i.code when 'UNDELIVERED' then 'return' else 'quote' end,
    i.code, i.details, i.amount, null, 0, null, 'worker', 'worker', 'Worker', t.created_at
from transaction_items i join transactions t on t.uuid = i.transaction;

-- allowed drop: its rows are charges now. No release has used it, only versions in development.
drop table transaction_items;

-- Money that was received outside a gateway. It goes back as a refund.
create table payments (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    transaction uuid not null references transactions,
    method text not null check (method in ('cash', 'transfer', 'check', 'account', 'other')),
    amount bigint not null check (amount > 0),
    reference text,
    received_at timestamptz not null,
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    created_at timestamptz not null
);
create index on payments (transaction, created_at, uuid);
create index on payments (company, created_at, uuid);

-- What is still owed; below zero it is a credit.
alter table transactions add column balance bigint not null default 0;

-- The amount that a page asks for. Null on older pages, which ask for the whole transaction.
alter table checkouts add column amount bigint;

alter table orders
    -- The store in which a customer placed it.
    add column store uuid,
    -- Derived from the transactions. A trigger would hide it, so the application keeps it.
    add column payment_status text not null default 'none',
    add column balance bigint not null default 0,
    -- Of the transactions; null without one.
    add column currency text,
    -- The shipment and the distance in metres of the price that is owed.
    add column priced_shipment bytea,
    add column priced_distance integer;

alter table companies
    -- What happens when a change of an order moves its price: adjust, refuse or keep.
    add column price_changes text,
    -- By the stage that an order has reached when it is canceled.
    add column cancellation_fees jsonb not null default '{}',
    -- Whether payments of canceled orders are refunded: automatic or manual.
    add column cancellation_refund text,
    add column prices_include_tax boolean,
    -- Per cent.
    add column tax_rate numeric(7, 4),
    -- Whether tax is rounded by line or by document.
    add column tax_rounding text,
    add column tax_number text;

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
        where table_schema = current_schema() and table_name in ('charges', 'payments')
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
