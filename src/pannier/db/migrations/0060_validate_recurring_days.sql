-- outside a transaction

alter table recurring_orders validate constraint recurring_orders_starts_on_check;
alter table recurring_orders validate constraint recurring_orders_next_day_check;
alter table recurring_days validate constraint recurring_days_day_check;
