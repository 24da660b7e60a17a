-- The number of equal pieces of an item. Its measures and values are those of one piece.
alter table entities add column quantity integer not null default 1;
