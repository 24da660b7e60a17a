-- oldest version: 0.1.0
-- Which processes run, with which version, and which sweeps wait for an operator.

alter table heartbeats add column version text;

-- The oldest version that may run beside a step; null for steps before this one.
alter table migrations add column if not exists oldest_version text;

create table api_heartbeats (
    process text primary key,
    started_at timestamptz not null,
    beat_at timestamptz not null,
    version text not null
);

-- Sweeps that would delete implausibly much of a table.
create table stopped_sweeps (
    sweep text primary key,
    expired_rows bigint not null,
    total_rows bigint not null,
    stopped_at timestamptz not null,
    -- Until then an operator allows the sweep.
    allowed_until timestamptz
);
