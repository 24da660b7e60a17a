-- The number on which drivers reach dispatch.
alter table companies add column dispatch_phone text;
