-- outside a transaction
-- Balances and reports of the cash desk, whatever the number of collections.
create index concurrently if not exists cash_collections_carried on cash_collections
    (company, driver, currency) where hand_in is null and method in ('cash', 'check');
create index concurrently if not exists cash_collections_unremitted on cash_collections
    (company, customer, currency) where remittance is null and customer is not null;
create index concurrently if not exists cash_collections_differences on cash_collections
    (company, created_at, uuid) where amount <> amount_due;
create index concurrently if not exists cash_hand_ins_differences on cash_hand_ins
    (company, created_at, uuid) where difference <> 0;
create index concurrently if not exists cash_collections_driver on cash_collections
    (driver, created_at, uuid);
create index concurrently if not exists cash_collections_customer on cash_collections
    (customer, created_at, uuid) where customer is not null;
