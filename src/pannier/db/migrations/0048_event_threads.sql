-- outside a transaction
-- The events of an order that are about other records, such as its proofs.
create index concurrently if not exists events_of_thread on events (company, thread, created_at)
    where thread <> subject;
