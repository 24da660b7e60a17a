-- Imports: records from spreadsheets.

create table imports (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    resource text not null,
    state text not null check (state in (
        'new', 'checking', 'checked', 'importing', 'done', 'undoing', 'undone', 'failed')),
    -- Null once the file was deleted.
    file uuid,
    file_name text not null,
    layout jsonb not null,
    headers text[] not null,
    headers_digest bytea not null,
    sample jsonb not null default '[]',
    mapping jsonb not null default '{}',
    processed integer not null default 0,
    row_count integer,
    counts jsonb not null default '{}',
    failure text,
    -- Who requested the present task.
    actor jsonb,
    checked_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    undone_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null
);
create index on imports (company, created_at, uuid);
create index on imports (company, resource, headers_digest, started_at)
    where started_at is not null;
create index on imports (created_at);

-- Tasks of imports. `due_at` moves ahead while a worker works on one.
create table import_runs (
    import_uuid uuid primary key references imports on delete cascade,
    company uuid not null references companies,
    task text not null check (task in ('check', 'import', 'undo')),
    attempts integer not null default 0,
    created_at timestamptz not null,
    due_at timestamptz not null
);
create index on import_runs (company, due_at);

-- The results of rows.
create table import_rows (
    uuid uuid primary key,
    company uuid not null references companies,
    import_uuid uuid not null references imports on delete cascade,
    number integer not null,
    state text not null check (state in ('created', 'unchanged', 'failed', 'undone', 'kept')),
    key bytea,
    record text,
    errors jsonb not null default '[]',
    created_at timestamptz not null,
    unique (import_uuid, number)
);
create index on import_rows (import_uuid, state, number, uuid);
create index on import_rows (company, record) where record is not null;

-- The records that imports created, by the natural key of their row. They outlive their import, so
-- that the same file creates nothing again.
create table import_keys (
    company uuid not null references companies,
    resource text not null,
    key bytea not null,
    record text not null,
    primary key (company, resource, key)
);
create index on import_keys (company, record);

-- Times outside Python's calendar would break every list that contains them, so all columns refuse
-- them.

-- allowed unknown: all tables are new, so nobody waits.
do $$
declare
    moments record;
begin
    for moments in
        select table_name as name, string_agg(
            format('add check (%I between ''0001-01-01 00:00:00+00'' '
                   'and ''9999-12-31 23:59:59.999999+00'')', column_name), ', ') as checks
        from information_schema.columns
        where table_schema = current_schema() and table_name in ('imports', 'import_runs', 'import_rows')
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
