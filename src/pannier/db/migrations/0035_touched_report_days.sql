-- Notes of days whose figures have changed. They are only added to, so that nobody waits for
-- another transaction, and a worker moves them to `report_queue`. No foreign key, because these rows
-- are short-lived.
create table report_touches (
    position bigint generated always as identity primary key,
    company uuid not null,
    day date not null check (day between '0001-01-01' and '9999-12-31'),
    due_at timestamptz not null
        check (due_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
);
create index on report_touches (company, day);

-- The last day of the latest weekly report, so that no week is reported twice.
alter table report_emails add column reported_until date;
alter table report_emails add constraint report_emails_reported_until_check
    check (reported_until between '0001-01-01' and '9999-12-31') not valid;
