"""The present moment comes from one clock, and in SQL from one function.

Tests can shift both, so that hours can pass in a test.
"""

import ast
import re
from collections.abc import Iterator

from architecture.reading import SOURCE, Kind, every
from pannier.db.statements import split_statements

CLOCK = "kit/clock.py"
# Ways to ask the machine for the date and time. Durations (monotonic, perf_counter) are free.
FORBIDDEN = {
    "datetime.now", "datetime.utcnow", "datetime.today",
    "date.today", "time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime",
    "time.strftime", "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.date.today",
}  # fmt: skip
# Ways to ask PostgreSQL for them.
SQL_CLOCK = re.compile(
    r"\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(\s*\)"
    r"|\bcurrent_(timestamp|date|time)\b|\blocaltime(stamp)?\b",
    re.IGNORECASE,
)
SQL = re.compile(r"\b(select|insert|update|delete|create|alter|default)\b", re.IGNORECASE)
# Texts that may ask it, and why.
EXCEPTIONS = {
    ("db/migrate.py", "default now()"): "this table is there before the first migration has run",
    ("devices/events/horizon.py", "clock_timestamp() - since"): "sessions began by that clock",
}


# Receivers copy this one to machines where our clock is not.
ELSEWHERE = "webhooks/verifying.py"


def timeless(kind: type[Kind]) -> Iterator[tuple[str, Kind]]:
    return ((name, node) for name, node in every(kind) if name not in {CLOCK, ELSEWHERE})


def dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{dotted(value)}.{name}"
    return ""


def docstrings() -> set[int]:
    """Find the texts that speak to people."""
    return {
        id(node.body[0].value)
        for _, node in every(ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if node.body and isinstance(node.body[0], ast.Expr)
    }


def without_comments(sql: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/", "", sql, flags=re.DOTALL)


def test_no_code_asks_the_machine_for_the_time_but_the_clock() -> None:
    found = [
        f"{name}:{node.lineno} {dotted(node)}"
        for name, node in timeless(ast.Attribute)
        if dotted(node) in FORBIDDEN
    ]
    assert found == []


def test_now_is_asked_of_a_clock_whatever_it_was_imported_as() -> None:
    def a_clock(owner: ast.expr) -> bool:
        made = owner.func if isinstance(owner, ast.Call) else owner
        return dotted(made).lower().endswith("clock")

    found = [
        f"{name}:{node.lineno} {ast.unparse(node)}"
        for name, node in timeless(ast.Call)
        if isinstance(node.func, ast.Attribute)
        and node.func.attr in {"now", "utcnow", "today"}
        and not a_clock(node.func.value)
    ]
    assert found == []


def test_nobody_imports_a_function_that_tells_the_time() -> None:
    bare = {"time", "time_ns", "localtime", "gmtime", "ctime", "strftime"}
    found = [
        f"{name}:{node.lineno}"
        for name, node in timeless(ast.ImportFrom)
        if node.module == "time"
        for alias in node.names
        if alias.name in bare
    ]
    assert found == []


def test_no_sql_in_the_code_asks_postgresql_for_the_time() -> None:
    found, spoken = [], docstrings()
    for name, node in timeless(ast.Constant):
        if not isinstance(node.value, str):
            continue
        text = without_comments(node.value)
        excused = any(name == place and words in text for place, words in EXCEPTIONS)
        asks = SQL.search(text) and SQL_CLOCK.search(text)
        if asks and id(node) not in spoken and not excused:
            found.append(f"{name}:{node.lineno}")
    assert found == []


def test_only_the_shared_function_of_the_schema_asks_postgresql_for_the_time() -> None:
    files = sorted((SOURCE / "db" / "migrations").glob("*.sql"))
    asking = [
        (path.name, statement.shape.split("(")[0])
        for path in files
        for statement in split_statements(path.read_text())
        if SQL_CLOCK.search(without_comments(statement.text))
    ]
    assert asking == [("0001_pannier.sql", "create function pannier_now")]


def test_the_exceptions_are_still_exceptions() -> None:
    assert [name for name, words in EXCEPTIONS if words not in (SOURCE / name).read_text()] == []


def test_a_column_that_holds_a_moment_knows_its_zone() -> None:
    for path in (SOURCE / "db" / "migrations").glob("*.sql"):
        sql = without_comments(path.read_text())
        assert not re.search(r"\btimestamp\b(?!\s+with\s+time)", sql, re.IGNORECASE), path.name


# Statements that lease, reap, expire or delete, by what they compare with a moment.
DECIDING = re.compile(
    r"\b(due_at|lease_until|retry_at|locate_after|expires_at|ends_at|erase_at|erase_after|beat_at"
    r"|again_at|decided_at)\s*(<=|<|>|>=)\s*:",
)


def test_what_is_leased_or_expires_is_compared_with_the_databases_time() -> None:
    found = [
        f"{name}:{node.lineno} {text[0]}"
        for name, node in timeless(ast.Constant)
        if isinstance(node.value, str) and (text := DECIDING.search(node.value))
    ]
    assert found == []


def test_only_a_manual_clock_shifts_the_databases_time() -> None:
    found = [
        name
        for name, node in timeless(ast.Constant)
        if isinstance(node.value, str) and "set_config('pannier.now'" in node.value
    ]
    assert found == ["db/clock.py"]
