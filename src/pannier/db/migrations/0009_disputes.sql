-- Disputes of payments: what the gateway reports, and the amount that was lost.

alter table payment_facts
    add column dispute text,
    add column dispute_state text,
    add column dispute_reason text,
    add column due_by timestamptz,
    add column funds text;

alter table transactions add column amount_disputed bigint not null default 0;
