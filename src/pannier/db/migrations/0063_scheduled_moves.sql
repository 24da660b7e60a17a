-- Moves are emitted at most once per interval, the latest position at its end; and the delivery of a
-- move is replaced by that of a later one.

-- When to emit an event about the latest position, because the last event was too recent.
alter table whereabouts add column announce_at timestamptz;

-- Whether a later delivery of the same event of the thread replaces this one.
alter table webhook_queue add column coalesced boolean not null default false;
