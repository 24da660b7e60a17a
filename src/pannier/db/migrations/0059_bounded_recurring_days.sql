-- Days that a program cannot read stay out, as in every other table.
alter table recurring_orders add constraint recurring_orders_starts_on_check
    check (starts_on between '0001-01-01' and '9999-12-31') not valid;
alter table recurring_orders add constraint recurring_orders_next_day_check
    check (next_day between '0001-01-01' and '9999-12-31') not valid;
alter table recurring_days add constraint recurring_days_day_check
    check (day between '0001-01-01' and '9999-12-31') not valid;
