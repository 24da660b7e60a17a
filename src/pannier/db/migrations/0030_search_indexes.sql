-- outside a transaction
-- Search without accents.
create index concurrently if not exists places_folded on places
    using gin (search_words(company, fold_accents(coalesce(name, '') || ' ' ||
    coalesce(street1, '') || ' ' || coalesce(street2, '') || ' ' || coalesce(city, '') || ' '
    || coalesce(postal_code, '') || ' ' || coalesce(building, '') || ' ' || coalesce(phone ||
    ' ' || right(phone, 7) || ' ' || right(phone, 8) || ' ' || right(phone, 9) || ' ' ||
    right(phone, 10), '')))) with (fastupdate = off);
create index concurrently if not exists contacts_folded on contacts
    using gin (search_words(company, fold_accents(coalesce(name, '') || ' ' || coalesce(title,
    '') || ' ' || coalesce(email, '') || ' ' || coalesce(internal_id, '') || ' ' ||
    coalesce(phone || ' ' || right(phone, 7) || ' ' || right(phone, 8) || ' ' || right(phone,
    9) || ' ' || right(phone, 10), '')))) with (fastupdate = off);
create index concurrently if not exists vendors_folded on vendors
    using gin (search_words(company, fold_accents(coalesce(name, '') || ' ' || coalesce(email,
    '') || ' ' || coalesce(internal_id, '') || ' ' || coalesce(business_id, '') || ' ' ||
    coalesce(phone || ' ' || right(phone, 7) || ' ' || right(phone, 8) || ' ' || right(phone,
    9) || ' ' || right(phone, 10), '')))) with (fastupdate = off);
create index concurrently if not exists customers_folded on customers
    using gin (search_words(company, fold_accents(coalesce(name, '') || ' ' || coalesce(email,
    '') || ' ' || coalesce(phone || ' ' || right(phone, 7) || ' ' || right(phone, 8) || ' ' ||
    right(phone, 9) || ' ' || right(phone, 10), '')))) with (fastupdate = off);
create index concurrently if not exists entities_folded on entities
    using gin (search_words(company, fold_accents(coalesce(name, '') || ' ' || coalesce(sku,
    '') || ' ' || coalesce(internal_id, '') || ' ' || coalesce(description, '')))) with
    (fastupdate = off);
create index concurrently if not exists orders_folded on orders
    using gin (search_words(company, fold_accents(coalesce(internal_id, '') || ' ' ||
    coalesce(notes, '')))) with (fastupdate = off)
    where internal_id is not null or notes is not null;
create index concurrently if not exists vehicles_folded on vehicles
    using gin (search_parts(company, fold_accents(coalesce(plate_number, '') || ' ' ||
    coalesce(vin, '') || ' ' || coalesce(make, '') || ' ' || coalesce(model, '') || ' ' ||
    coalesce(internal_id, '')))) with (fastupdate = off);
create index concurrently if not exists drivers_folded on drivers
    using gin (search_parts(company, fold_accents(coalesce(name, '') || ' ' || coalesce(email,
    '') || ' ' || coalesce(phone, '') || ' ' || coalesce(internal_id, '') || ' ' ||
    coalesce(drivers_license_number, '')))) with (fastupdate = off);
create index concurrently if not exists devices_folded on devices
    using gin (search_parts(company, fold_accents(coalesce(name, '') || ' ' ||
    coalesce(identifier, '') || ' ' || coalesce(provider, '')))) with (fastupdate = off);

-- Any part of an order's own number, and of its tracking number.
create index concurrently if not exists orders_internal_id_parts on orders
    using gin (search_parts(company, translate(internal_id, ' -_./#:', ''))) with (fastupdate = off)
    where internal_id is not null and deleted_at is null;
create index concurrently if not exists tracking_numbers_parts on tracking_numbers
    using gin (search_parts(company, replace(number, '-', ''))) with (fastupdate = off)
    where subject_type = 'order' and deleted_at is null;

-- The previous release searches by the old indexes while both run. A later migration drops them.
