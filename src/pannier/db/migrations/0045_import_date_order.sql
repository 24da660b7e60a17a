-- Whether dates such as 3/4/2026 begin with the day or the month. Null until somebody says so.
alter table imports add column date_order text;
alter table imports add constraint imports_date_order_check
    check (date_order in ('day_first', 'month_first')) not valid;
