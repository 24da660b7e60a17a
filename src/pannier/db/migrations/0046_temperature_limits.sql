-- °C. A reading outside raises an alert.
alter table vehicles add column min_temperature double precision;
alter table vehicles add column max_temperature double precision;
alter table devices add column min_temperature double precision;
alter table devices add column max_temperature double precision;
