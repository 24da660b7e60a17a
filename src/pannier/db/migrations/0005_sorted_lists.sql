-- A page costs the same at any depth, whichever column a list is sorted by.

create index on keys (company, name, uuid);
create index on operators (company, name, uuid);
create index on operators (company, email, uuid);
create index on files (company, name, uuid) where deleted_at is null;
create index on files (company, size, uuid) where deleted_at is null;
create index on contacts (company, name, uuid) where deleted_at is null;
create index on vendors (company, name, uuid) where deleted_at is null;
create index on service_areas (company, name, uuid) where deleted_at is null;
create index on zones (company, name, uuid) where deleted_at is null;
create index on drivers (company, updated_at, uuid) where deleted_at is null;
create index on drivers (company, name, uuid) where deleted_at is null;
create index on vehicles (company, updated_at, uuid) where deleted_at is null;
create index on vehicles (company, status, uuid) where deleted_at is null;
create index on fleets (company, updated_at, uuid) where deleted_at is null;
create index on fleets (company, name, uuid) where deleted_at is null;
create index on issues (company, updated_at, uuid) where deleted_at is null;
create index on issues (company, status, uuid) where deleted_at is null;
create index on issues (company, priority, uuid) where deleted_at is null;
create index on order_configs (company, name, uuid) where deleted_at is null;
