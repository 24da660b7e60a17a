-- Invoices and credit notes, and the company's settings for them.

alter table companies
    add column legal_name text,
    add column billing_address jsonb not null default '{}',
    add column iban text,
    add column bic text,
    add column payment_instructions text,
    add column payment_terms_days integer,
    add column invoice_prefix text,
    add column credit_note_prefix text,
    add column invoice_footer text;

-- The last number of each series. Numbers have no gaps: whoever takes one holds the row's lock until
-- the document is committed.
create table invoice_series (
    company uuid not null references companies,
    -- What is before the number, such as `INV-2026-`.
    series text not null,
    last_number integer not null,
    primary key (company, series)
);

create table invoices (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    kind text not null check (kind in ('invoice', 'credit_note')),
    state text not null check (state in ('draft', 'issued')),
    number text,
    -- A contact or a vendor.
    customer uuid not null,
    customer_type text not null check (customer_type in ('contact', 'vendor')),
    currency text not null,
    -- A draft contains charges of these days and orders.
    period_from date,
    period_to date,
    orders uuid[],
    -- Minor units with tax; the sums of the lines.
    amount bigint not null,
    tax_amount bigint not null,
    -- What is still to be paid, and what credit notes have taken back.
    open_amount bigint not null default 0 check (open_amount >= 0),
    credited_amount bigint not null default 0 check (credited_amount >= 0),
    issue_date date,
    issued_at timestamptz,
    due_date date,
    reference text,
    notes text,
    -- The invoice that a credit note corrects, and why.
    refers_to uuid references invoices,
    reason text,
    -- The buyer of a draft whose contact was erased.
    buyer jsonb,
    -- Whether it names an erased contact, until the retention of billing data ends.
    names_erased boolean not null default false,
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version integer not null,
    check ((state = 'issued') = (number is not null and issued_at is not null
        and issue_date is not null)),
    unique (company, number)
);
create index on invoices (company, created_at, uuid);
create index on invoices (company, kind, created_at, uuid);
create index on invoices (company, currency, created_at, uuid);
create index on invoices (company, customer, created_at, uuid);
create index on invoices (company, created_at, uuid) where state = 'draft';
create index on invoices (company, created_at, uuid) where open_amount > 0;
create index on invoices (company, created_at, uuid) where credited_amount > 0;
create index on invoices (company, issue_date, uuid) where issue_date is not null;
create index on invoices (company, due_date, uuid) where due_date is not null;
create index on invoices (refers_to) where refers_to is not null;
create index on invoices (company, created_at) where names_erased;

create table invoice_lines (
    uuid uuid primary key,
    public_id text not null unique,
    company uuid not null references companies,
    invoice uuid not null references invoices on delete cascade,
    position integer not null,
    customer uuid not null,
    transaction uuid not null references transactions,
    -- Null for a correction of earlier lines of the transaction.
    charge uuid references charges,
    order_uuid uuid,
    kind text not null,
    description text not null,
    day date not null,
    tax_rate numeric(7, 4),
    tax_amount bigint not null,
    amount bigint not null,
    -- The line of an invoice that this line of a credit note takes back.
    credits uuid references invoice_lines,
    created_at timestamptz not null,
    unique (invoice, position)
);
create index on invoice_lines (company, customer, transaction);
create index on invoice_lines (transaction);
create index on invoice_lines (charge) where charge is not null;
create index on invoice_lines (credits) where credits is not null;

-- The part of an issued document that belongs to a transaction, less credit notes of it, and what of
-- that is still to be paid.
create table invoice_shares (
    invoice uuid not null references invoices,
    transaction uuid not null references transactions,
    company uuid not null references companies,
    customer uuid not null,
    issued_at timestamptz not null,
    amount bigint not null,
    open_amount bigint not null check (open_amount >= 0),
    primary key (invoice, transaction)
);
create index on invoice_shares (transaction);

-- The contents of issued documents, from which they are printed.
create table invoice_documents (
    invoice uuid primary key references invoices,
    company uuid not null references companies,
    document jsonb not null
);

-- An issued document never changes. Only what is still to be paid follows its payments.
create function keep_issued_invoice() returns trigger language plpgsql as $$
declare
    following constant text[] := array['open_amount', 'credited_amount', 'names_erased',
        'updated_at', 'version'];
begin
    if old.state = 'draft' then
        return coalesce(new, old);
    end if;
    if tg_op = 'UPDATE' and to_jsonb(new) - following = to_jsonb(old) - following then
        return new;
    end if;
    raise exception 'The invoice % is issued and cannot be changed.', old.number
        using errcode = 'integrity_constraint_violation';
end $$;
create trigger invoice_kept before update or delete on invoices
    for each row execute function keep_issued_invoice();

-- Only the personal data of an erased buyer can be blanked.
create function keep_issued_document() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and new.invoice = old.invoice and new.company = old.company
        and new.document - 'buyer' = old.document - 'buyer'
        and not exists (
            select from jsonb_each(new.document -> 'buyer') as field (name, value)
            where value not in ('null', '""', '[]')
              and value is distinct from old.document -> 'buyer' -> name)
    then
        return new;
    end if;
    raise exception 'The contents of an issued invoice cannot be changed.'
        using errcode = 'integrity_constraint_violation';
end $$;
create trigger invoice_document_kept before update or delete on invoice_documents
    for each row execute function keep_issued_document();

create function keep_issued_lines() returns trigger language plpgsql as $$
begin
    if exists (select from invoices
               where uuid in (old.invoice, new.invoice) and state = 'issued') then
        raise exception 'The lines of an issued invoice cannot be changed.'
            using errcode = 'integrity_constraint_violation';
    end if;
    return coalesce(new, old);
end $$;
create trigger invoice_lines_kept before insert or update or delete on invoice_lines
    for each row execute function keep_issued_lines();

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
        where table_schema = current_schema() and table_name in
            ('invoices', 'invoice_lines', 'invoice_shares')
          and data_type in ('timestamp with time zone', 'date')
        group by table_name
    loop
        execute format('alter table %I %s', moments.name, moments.checks);
    end loop;
end $$;
