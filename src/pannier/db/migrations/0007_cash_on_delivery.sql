-- Cash on delivery of stops and items, and whether it was collected.

alter table waypoints
    add column cod_amount bigint,
    add column cod_currency text,
    add column cod_payment_method text,
    add column cash_collected boolean not null default false;
alter table entities
    add column cod_amount bigint,
    add column cod_currency text,
    add column cod_payment_method text;
-- For payloads without stops.
alter table payloads add column cash_collected boolean not null default false;
