-- Drivers' shifts, skills and costs, vehicles' capacities and costs, and skills that orders need.

alter table drivers
    add column skills text[] not null default '{}',
    -- A weekly pattern in the company's time zone. Null is at any time.
    add column shifts jsonb,
    -- Days with other shifts, or none.
    add column shift_exceptions jsonb not null default '[]',
    -- Where work begins and ends.
    add column start_place uuid,
    add column end_place uuid,
    -- Minor units of `currency`.
    add column cost_per_hour bigint,
    add column currency text;

alter table vehicles
    -- Cubic metres and items; kilograms are `payload_capacity`.
    add column capacity_volume double precision,
    add column capacity_items integer,
    -- What roads it takes: car, van or bicycle.
    add column profile text not null default 'car',
    -- Minor units of `currency`.
    add column cost_per_km bigint,
    add column currency text;

alter table orders
    -- Skills that the order's driver needs.
    add column required_skills text[] not null default '{}';
