-- The attempt that last saved rows of a task. Only attempts after it count as failures.
alter table import_runs add column progress_attempt integer not null default 0;
-- A digest of the record as the import created it, by which undoing recognises later changes.
alter table import_rows add column fingerprint bytea;
