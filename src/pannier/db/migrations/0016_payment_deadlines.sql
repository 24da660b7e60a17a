-- Deadlines for the payment of customers' orders.

alter table orders add column payment_deadline timestamptz;
