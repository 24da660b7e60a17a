-- outside a transaction
-- oldest version: 0.1.0
-- Searches without accents use the indexes named `…_folded`. No query has used these since.

drop index concurrently if exists orders_search;
drop index concurrently if exists places_search;
drop index concurrently if exists contacts_search;
drop index concurrently if exists vendors_search;
drop index concurrently if exists customers_search;
drop index concurrently if exists vehicles_search;
drop index concurrently if exists drivers_search;
drop index concurrently if exists entities_search;
drop index concurrently if exists devices_search;
