-- Customers at the payment gateway: one account each, made when it is first needed.

create table payment_customers (
    company uuid not null references companies,
    customer uuid not null references customers,
    -- Test and live accounts of one provider are different gateways.
    gateway text not null,
    account text not null,
    created_at timestamptz not null,
    primary key (customer, gateway)
);
-- Nobody ever gets another one's cards.
create unique index payment_customers_account on payment_customers (gateway, account);
