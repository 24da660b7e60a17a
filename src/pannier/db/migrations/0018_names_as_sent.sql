-- The name with which a request described the customer of an order or the contact at a stop.

alter table orders add column customer_name text;
alter table waypoints add column contact_name text;
