-- outside a transaction
-- Lists of what changed since a time.
create index concurrently if not exists contacts_by_change on contacts
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists vendors_by_change on vendors
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists places_by_change on places
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists customers_by_change on customers
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists payloads_by_change on payloads
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists waypoints_by_change on waypoints
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists entities_by_change on entities
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists tracking_numbers_by_change on tracking_numbers
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists tracking_statuses_by_change on tracking_statuses
    (company, updated_at, uuid) where deleted_at is null;
create index concurrently if not exists transactions_by_change on transactions
    (company, updated_at, uuid);
create index concurrently if not exists invoices_by_change on invoices
    (company, updated_at, uuid);
create index concurrently if not exists cash_collections_by_change on cash_collections
    (company, updated_at, uuid);
create index concurrently if not exists alerts_by_change on alerts
    (company, updated_at, uuid);
