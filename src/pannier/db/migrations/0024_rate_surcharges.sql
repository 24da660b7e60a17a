-- Surcharges of rates: fuel, holidays, remote areas, large items and insured values.

alter table service_rates add column surcharges jsonb not null default '[]';
