-- How recipients rated their deliveries.
alter table orders add column rating jsonb;
alter table waypoints add column rating jsonb;
