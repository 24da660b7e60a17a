-- outside a transaction
-- Documents that name erased customers, by the time since which they are kept.

create index concurrently if not exists invoices_names_erased on invoices (company, issued_at)
    where names_erased;
