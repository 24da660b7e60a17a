-- oldest version: 0.1.0
-- Rows that change with each report are updated in place, if their page has room for another version.
-- Pages that exist already get that room when they are next filled.

alter table whereabouts set (fillfactor = 50);
alter table device_states set (fillfactor = 50);
alter table device_latest set (fillfactor = 50);
alter table device_folds set (fillfactor = 45);
alter table device_counts set (fillfactor = 70);
alter table device_trips set (fillfactor = 70);
-- Each report adds and removes a row.
alter table device_backlog set
    (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
