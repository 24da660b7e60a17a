"""The linter of migrations: what would hold others up is found, what would not is let be."""

import pytest

from pannier.db.migrate import Migration
from pannier.db.migration_rules import ADVICE, find_violations
from pannier.db.statements import split_statements

BROKEN = {
    "alter table orders alter column notes type varchar(10)": "rewrite",
    "alter table orders alter notes set data type jsonb using notes::jsonb": "rewrite",
    "alter table orders set unlogged": "rewrite",
    "alter table orders add column place bigserial": "rewrite",
    "alter table orders add column n bigint generated always as identity": "rewrite",
    "alter table orders add column n text generated always as (lower(notes)) stored": "rewrite",
    "alter table orders add column token uuid default gen_random_uuid()": "default",
    "alter table orders add column token uuid not null default gen_random_uuid()": "default",
    "alter table orders add column at timestamptz default now()": "default",
    "alter table orders add column colour text not null": "not-null",
    "alter table orders add column colour text not null default null": "not-null",
    "alter table orders alter column notes set not null": "set-not-null",
    "create index on orders (notes)": "index",
    "create unique index if not exists orders_notes on only public.orders (notes)": "index",
    "drop index orders_payload": "drop-index",
    "create index concurrently if not exists orders_notes on orders (notes)": "inside",
    "alter table orders add constraint short check (length(notes) < 9)": "constraint",
    "alter table orders add check (length(notes) < 9)": "constraint",
    "alter table orders add foreign key (customer) references contacts": "constraint",
    "alter table orders add constraint one unique (notes)": "constraint",
    "alter table orders add constraint apart exclude using gist (notes with =)": "constraint",
    "alter table orders add column n integer check (n > 0)": "constraint",
    "alter table orders add column n integer unique": "constraint",
    "alter table orders add column n text default 'a' references letters": "constraint",
    "alter table orders validate constraint short": "validate",
    "alter table orders drop column notes": "drop",
    "alter table orders drop if exists notes": "drop",
    "alter table orders rename column notes to words": "drop",
    "alter table orders rename to purchases": "drop",
    "drop table orders": "drop",
    "truncate orders": "drop",
    "update orders set notes = ''": "fill",
    "delete from orders where notes is null": "fill",
    "with old as (select 1) delete from orders": "unknown",
    "lock table orders": "unknown",
    "alter table orders cluster on orders_payload": "unknown",
    "vacuum full orders": "unknown",
}
FINE = [
    "alter table orders add column colour text",
    "alter table orders add column if not exists colour text null",
    "alter table orders add column colour text not null default 'red'",
    "alter table orders add column colours text[] not null default '{}'::text[]",
    "alter table orders add column meta2 jsonb default '{}' not null",
    "alter table orders add column price numeric(10, 2) not null default -1.5",
    "alter table orders add column n integer not null default 0, add column m boolean default true",
    "alter table orders add column place uuid references places",
    "alter table orders add constraint short check (length(notes) < 9) not valid",
    "alter table orders add foreign key (customer) references contacts not valid",
    "alter table orders add constraint one unique using index orders_notes",
    "alter table orders alter column notes drop not null, drop constraint orders_check",
    "alter table orders set (fillfactor = 70)",
    "comment on table orders is 'drop table orders; update orders'",
    "create table letters (a text); create index on letters (a); update letters set a = ''",
    "create table if not exists letters (a text); alter table letters alter a set not null",
    "insert into letters values ('drop table x')",
    "create constraint trigger t after update on orders for each row execute function f()",
    "create function f() returns int language sql as $body$ delete from orders; select 1 $body$",
]
FINE_OUTSIDE = [
    "create index concurrently if not exists orders_notes on orders (notes) where notes <> ''",
    "create unique index concurrently if not exists orders_notes on orders (lower(notes))",
    "drop index concurrently if exists orders_notes",
    "alter table orders validate constraint short",
    "do $$ begin loop update orders set notes = ''; exit when not found; commit; end loop; end $$",
]
BROKEN_OUTSIDE = {
    "create index on orders (notes)": "index",
    "create index concurrently on orders (notes)": "index",
    "create index concurrently orders_notes on orders (notes)": "index",
    "drop index concurrently orders_notes": "outside",
    "alter table orders add column colour text": "outside",
    "alter table orders validate constraint short, add column colour text": "outside",
    "create table letters (uuid uuid primary key)": "outside",
}


def rules(*files: str) -> list[str]:
    """Lint a few files as if they were migrations, and name the rules they break."""
    steps = [Migration(number, f"{number:04}_x.sql", sql) for number, sql in enumerate(files, 2)]
    return [finding.rule for finding in find_violations(steps)]


def outside(sql: str) -> str:
    return f"-- outside a transaction\n{sql}"


@pytest.mark.parametrize(("sql", "rule"), BROKEN.items())
def test_what_would_hold_others_up_is_found(sql: str, rule: str) -> None:
    assert rules(sql) == [rule]


@pytest.mark.parametrize(("sql", "rule"), BROKEN.items())
def test_no_way_of_writing_hides_it(sql: str, rule: str) -> None:
    loud = sql.upper().replace("ORDERS", '"orders"').replace(" ", "\n\t/* a ; /* b */ */ -- c;\n ")
    assert rules(f"create table harmless (); -- '\n{loud};;\n") == [rule]


@pytest.mark.parametrize("sql", FINE)
def test_what_takes_a_moment_is_let_be(sql: str) -> None:
    assert rules(sql) == []


@pytest.mark.parametrize("sql", FINE_OUTSIDE)
def test_outside_a_transaction_stands_what_can_be_run_again(sql: str) -> None:
    assert rules(outside(sql)) == []


@pytest.mark.parametrize(("sql", "rule"), BROKEN_OUTSIDE.items())
def test_outside_a_transaction_stands_nothing_else(sql: str, rule: str) -> None:
    assert rules(outside(sql)) == [rule]


def test_every_statement_and_every_part_of_one_is_looked_at() -> None:
    assert rules(
        "alter table orders add column a text, alter b type int, drop c; create index on orders (a)"
    ) == ["rewrite", "drop", "index"]


ADD = "alter table orders add constraint noted check (notes is not null) not valid"
VALIDATE = outside("alter table orders validate constraint noted")
SET = "alter table orders alter column notes set not null, drop constraint noted"


def test_a_column_loses_its_nulls_in_three_steps() -> None:
    assert rules(ADD, VALIDATE, SET) == []
    assert rules(ADD, SET) == ["set-not-null"]
    assert rules(VALIDATE, SET) == ["set-not-null"]
    assert rules(ADD, VALIDATE, SET.replace("notes", "meta")) == ["set-not-null"]
    assert rules(ADD, VALIDATE, SET.replace("orders", "places")) == ["set-not-null"]
    assert rules(f"{ADD}; {SET}") == ["set-not-null"]


def test_who_knows_better_says_why() -> None:
    drop = "alter table orders drop column notes"
    assert rules(f"-- allowed drop: nothing reads it since 1.3.\n{drop}") == []
    assert rules(f"-- allowed drop:\n{drop}") == ["drop"]
    assert rules(f"-- allowed fill: it is small.\n{drop}") == ["drop"]
    assert rules(f"-- allowed drop: not for the second one.\n{drop};\n{drop}") == ["drop"]


def test_a_finding_teaches_what_to_do() -> None:
    step = Migration(2, "0002_colours.sql", "create index on orders (colour)")
    (finding,) = find_violations([step])
    assert str(finding).startswith("0002_colours.sql: create index on orders (colour)")
    assert "create index concurrently if not exists" in str(finding)
    assert {*BROKEN.values(), *BROKEN_OUTSIDE.values()} == set(ADVICE)


def test_a_file_is_cut_where_its_statements_end() -> None:
    sql = """
        -- First; with a note.
        select ';' as "a;b", E'it\\'s; so', $$ ; $$, $x$ $$ ; $x$; /* second; */ select 1;
        -- Nothing follows.
    """
    first, second = split_statements(sql)
    assert first.comments == ("-- First; with a note.",)
    assert first.shape == "select '' as a;b, '', '', ''"
    assert first.text.endswith("$x$ $$ ; $x$")
    assert (second.comments, second.shape) == (("/* second; */",), "select 1")
