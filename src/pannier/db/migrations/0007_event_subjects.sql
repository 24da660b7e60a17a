-- The event log is read by what an event is about, under either of its names.

alter table events add column subject_uuid uuid;
update events set subject_uuid = (convert_from(body, 'UTF8')::jsonb #>> '{data,uuid}')::uuid
    where convert_from(body, 'UTF8')::jsonb #>> '{data,public_id}' = subject;
create index on events (company, subject, created_at, uuid);
create index on events (company, subject_uuid, created_at, uuid) where subject_uuid is not null;
