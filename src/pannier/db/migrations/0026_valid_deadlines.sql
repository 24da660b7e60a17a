-- outside a transaction

alter table orders validate constraint orders_payment_deadline_check;
alter table payment_facts validate constraint payment_facts_due_by_check;
