-- Deadlines of payments and disputes refuse times outside Python's calendar, as all other columns.

alter table orders add constraint orders_payment_deadline_check
    check (payment_deadline between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
    not valid;
alter table payment_facts add constraint payment_facts_due_by_check
    check (due_by between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00') not valid;
