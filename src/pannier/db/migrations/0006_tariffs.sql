-- Tariffs of customers and groups, terms of payment, and tax on prices.

-- The key would lock the tables that it refers to; Pannier checks the reference on each change.
alter table contacts
    add column price_group text,
    add column default_service uuid,
    add column payment_terms_days integer,
    add column tax_number text;

alter table vendors
    add column price_group text,
    add column default_service uuid,
    add column payment_terms_days integer,
    add column tax_number text;

-- A rate with customers or price groups applies only to these.
alter table service_rates
    add column customers uuid[] not null default '{}',
    add column price_groups text[] not null default '{}',
    add column tax_rate numeric;

alter table service_areas add column tax_rate numeric;

alter table service_quotes
    -- The contact or vendor whose price it is.
    add column customer uuid,
    add column tax_rate numeric,
    add column tax_amount bigint not null default 0;
