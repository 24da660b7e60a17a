-- Whether a distance is final, and not an estimate until the routing engine has measured it.

alter table orders add column route_firm boolean not null default true;
alter table service_quotes add column firm boolean not null default true;
