-- What recipients may do on the tracking page, and what they asked for there.
alter table companies add column recipients jsonb not null default '{}';
alter table orders add column delivery_instructions jsonb;
alter table waypoints add column delivery_instructions jsonb;
