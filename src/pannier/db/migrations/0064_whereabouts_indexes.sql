-- outside a transaction
-- No index may contain a column that changes with each report. Otherwise PostgreSQL writes an entry
-- to each index of the table, and cannot reuse the space of the row in place.

create index concurrently if not exists whereabouts_company on whereabouts (company, kind);
create index concurrently if not exists whereabouts_announced on whereabouts (announce_at)
    where announce_at is not null;
drop index concurrently if exists whereabouts_near;
