-- The document that is attached to a message: an invoice, by public id.

alter table messages add column attachment text;
