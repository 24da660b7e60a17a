-- outside a transaction
-- Any part of the tracking number of an item or a stop.
create index concurrently if not exists tracking_numbers_item_parts on tracking_numbers
    using gin (search_parts(company, replace(number, '-', ''))) with (fastupdate = off)
    where subject_type <> 'order' and deleted_at is null;
