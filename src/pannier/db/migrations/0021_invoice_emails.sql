-- Whether issued invoices are emailed to their customers; null is the default.

alter table companies add column email_invoices boolean;
