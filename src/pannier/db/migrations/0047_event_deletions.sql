-- The last place of a company's events that were deleted. A reader who has not come so far has
-- missed events.
create table event_deletions (
    company uuid primary key references companies,
    deleted_place bigint not null
);
