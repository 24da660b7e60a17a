"""Every table has one owner: only its package writes it, and no package below reads it.

The import linter sees which modules import each other, but not which tables their SQL names. This
test reads that SQL: string constants, f-strings and the constants they are made of, and the tables
that are named to `Table`, `Leases` and the writing methods of `Db`.
"""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

import pannier
from architecture.reading import ROOT, SOURCE, children, modules, walk
from pannier.kit.hooks import Hook

# A read that climbs, by file and table, and why it has to.
CLIMBS = {
    "db/retention.py: companies": "packages below accounts sweep by the company's retention too",
}
# Package -> its tables and views.
OWNED = {
    "alerts": "alert_reads alert_rules alerts",
    "accounts": "companies keys operators saved_views stores tokens",
    "conversations": "driver_message_photos driver_messages",
    "backups": "backups",
    "cash": "cash_collections cash_hand_ins cash_remittances",
    "imports": "import_keys import_rows import_runs imports",
    "invoices": "invoices invoice_documents invoice_lines invoice_series invoice_shares",
    "customers": """customer_devices customer_identities customer_pending_links customers departures
        provider_replays""",
    "db": "api_heartbeats audit_entries heartbeats migrations retention_marks stopped_sweeps",
    "devices": """attachments device_alerts device_backlog device_batches device_changes
        device_checkpoints device_corrections device_counted device_counts device_events
        device_events_alerts device_events_alerts_default device_events_heartbeats
        device_events_heartbeats_default device_events_other device_events_other_default
        device_events_positions device_events_positions_default device_events_telemetry
        device_events_telemetry_default device_folds device_latest device_put_off device_rejects
        device_spans device_states device_trips devices""",
    "events": "event_deletions event_queue event_relays events",
    "files": "file_sweeps files",
    "fleet": "drivers drives fleet_members fleets issue_photos issues vehicles whereabouts",
    "installation": "installation",
    "jobs": "silence",
    "news": "news news_muted news_queue news_quiet",
    "notifications": "messages",
    "orders": """delivery_attempts driver_etas eta_runs order_batch_keys order_config_versions
        order_configs order_internal_ids order_routes order_templates orders recurring_days
        recurring_orders returned_items service_quotes tracking_statuses""",
    "parked": "parked",
    "partners": "contacts vendors",
    "planning": "plan_roads plan_runs planned_stops plans",
    "payloads": "entities payloads tracking_numbers waypoints",
    "payments": """billing_identities charges checkouts payment_customers payment_facts payments
        refunds transactions""",
    "places": "moved_places places service_areas zones",
    "proofs": "proof_codes proof_heads proof_keys proof_registers proofs",
    "rates": "changed_rates service_rate_versions service_rates",
    "reports": """report_companies report_costs report_days report_devices report_driver_trips
        report_drivers report_emails report_money report_queue report_touches report_trips
        report_webhooks""",
    "robots": "simulations",
    "samples": "sample_records",
    "verification": "challenges codes",
    "web": "budget_parts idempotency_answers",
    "webhooks": """webhook_attempts webhook_claims webhook_deliveries webhook_health webhook_lanes
        webhook_queue webhooks""",
}
OWNER = {table: package for package, tables in OWNED.items() for table in tables.split()}

WRITTEN = re.compile(
    r"\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?|copy|merge\s+into)"
    r"\s+(?:only\s+)?(\w+)",
    re.IGNORECASE,
)
SOURCES = re.compile(r"\b(?:from|join|using)\s+(?:only\s+|lateral\s+)*(\w+)", re.IGNORECASE)
# After the first table of a list: `from orders o, payloads p`.
LISTED = re.compile(
    r"\bfrom\s+\w+(?:\s+(?:as\s+)?\w+)?((?:\s*,\s*\w+(?:\s+(?:as\s+)?\w+)?)+)", re.IGNORECASE
)
CREATED = re.compile(
    r"\bcreate\s+(?:unlogged\s+)?(?:table|view)\s+(?:if\s+not\s+exists\s+)?(\w+)", re.IGNORECASE
)
DROPPED = re.compile(r"^drop table (\w+)", re.IGNORECASE | re.MULTILINE)
WRITERS = frozenset(
    {"insert", "update", "queue_update", "queue_inserts", "append", "copy", "copy_encoded_rows"}
)
CHANGERS = frozenset({"create", "append", "insert", "insert_all", "change", "touch", "remove"})


class Use(NamedTuple):
    """A table that a line of a module names."""

    place: str
    package: str
    table: str


def package_of(path: str) -> str:
    return path.split("/", maxsplit=1)[0].removesuffix(".py")


@cache
def depths() -> dict[str, int]:
    """Each package's line in the layers; 0 is the highest."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    [layers] = [
        contract["layers"]
        for contract in config["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    return {
        name.strip().removeprefix("pannier."): depth
        for depth, line in enumerate(layers)
        for name in line.split("|")
    }


@cache
def constants(path: str) -> dict[str, ast.expr]:
    """What the names of a module stand for, on its top level."""
    found: dict[str, ast.expr] = {}
    for node in modules()[path].body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
    return found


@cache
def imports(path: str) -> dict[str, tuple[str, str | None]]:
    """Imported names: the module that has them, and under which name; None for the module."""
    found: dict[str, tuple[str, str | None]] = {}
    for node in walk(modules()[path]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pannier"):
            for alias in node.names:
                known = alias.asname or alias.name
                if inner := module_path(f"{node.module}.{alias.name}"):
                    found[known] = (inner, None)
                elif home := module_path(str(node.module)):
                    found[known] = (home, alias.name)
    return found


def module_path(dotted: str) -> str | None:
    base = "/".join(dotted.split(".")[1:])
    paths = (f"{base}.py", f"{base}/__init__.py")
    return next((path for path in paths if path in modules()), None)


@cache
def text_of(path: str, node: ast.expr) -> str:
    """A string expression as far as the sources tell; what they do not tell is `?`."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(text_of(path, part) for part in parts)
        case ast.FormattedValue(value=value):
            return text_of(path, value)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return text_of(path, left) + text_of(path, right)
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "replace" | "strip")):
            return text_of(path, value)
        case ast.Name(id=name):
            return text_named(path, name)
        case ast.Attribute(value=ast.Name(id=alias), attr=name):
            home, inner = imports(path).get(alias, ("", ""))
            return text_beyond(path, home, name) if home and inner is None else " ? "
    return " ? "


def text_named(path: str, name: str) -> str:
    if name in constants(path):
        return text_of(path, constants(path)[name])
    home, inner = imports(path).get(name, ("", None))
    return text_beyond(path, home, inner) if inner is not None else " ? "


def text_beyond(path: str, home: str, name: str) -> str:
    """The text of an imported constant; of another package's, which answers for it, the start."""
    text = text_named(home, name)
    if package_of(path) == package_of(home):
        return text
    return f"{text.split(maxsplit=1)[0]} ? " if text.strip() else text


def declared(path: str, node: ast.expr) -> str:
    """The table that a `Table(...)` of some module, named here, is about."""
    match node:
        case ast.Name(id=name) if name in constants(path):
            return declared(path, constants(path)[name])
        case ast.Name(id=name):
            home, inner = imports(path).get(name, ("", None))
            return declared(home, ast.Name(inner)) if inner is not None else " ? "
        case ast.Attribute(value=ast.Name(id=alias), attr=name):
            home, inner = imports(path).get(alias, ("", ""))
            return declared(home, ast.Name(name)) if home and inner is None else " ? "
        case ast.Call(func=ast.Name(id="Table" | "OrderTable"), args=[name, *_]):
            return text_of(path, name)
    return " ? "


def texts(path: str) -> Iterator[tuple[int, str]]:
    """Every string of a module but docstrings, with its line."""
    waiting: list[ast.AST] = [modules()[path]]
    while waiting:
        match waiting.pop():
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.JoinedStr() | ast.Constant(value=str()) | ast.BinOp(op=ast.Add()) as node:
                yield node.lineno, text_of(path, node)
                if isinstance(node, ast.BinOp):
                    waiting.extend((node.left, node.right))
            case node:
                waiting += children(node)


def calls(path: str) -> Iterator[tuple[int, str, str]]:
    """Tables that are named to what writes or reads them: line, callee, table."""
    for node in walk(modules()[path]):
        if not isinstance(node, ast.Call):
            continue
        match node:
            case ast.Call(
                func=ast.Name(id="Table" | "OrderTable" | "Leases" | "SealedTable" as callee),
                args=[name, *_],
            ):
                yield node.lineno, callee, text_of(path, name)
            case ast.Call(
                func=ast.Name(id="RetentionSweep") | ast.Attribute(attr="RetentionSweep" | "purge"),
                args=[_, name, *_],
            ):
                yield node.lineno, "purge", text_of(path, name)
            case ast.Call(
                func=ast.Attribute(attr="expired_rows_query"),
                keywords=[ast.keyword("table", name), *_],
            ):
                yield node.lineno, "expired_rows_query", text_of(path, name)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="db"), attr=callee), args=[name, *_]
            ) if callee in WRITERS:
                yield node.lineno, callee, text_of(path, name)
            case ast.Call(func=ast.Attribute(value=table, attr=callee)) if callee in CHANGERS:
                yield node.lineno, callee, declared(path, table)


def uses_in(path: str) -> tuple[set[Use], set[Use]]:
    """Which tables a module writes, and which it reads."""
    written, read = set[tuple[int, str]](), set[tuple[int, str]]()
    for line, text in texts(path):
        written |= {(line, table) for table in WRITTEN.findall(text)}
        read |= {(line, table) for table in SOURCES.findall(text)}
        for rest in LISTED.findall(text):
            read |= {(line, each.split()[0]) for each in rest.split(",") if each.strip()}
    for line, callee, table in calls(path):
        (read if callee in {"Table", "OrderTable"} else written).add((line, table))
    return to_uses(path, written), to_uses(path, read)


def to_uses(path: str, named: set[tuple[int, str]]) -> set[Use]:
    return {
        Use(f"{path}:{line}", package_of(path), table.lower())
        for line, table in named
        if table.lower() in OWNER
    }


@cache
def uses() -> tuple[set[Use], set[Use]]:
    """Which tables every package writes, and which it reads."""
    found = [uses_in(path) for path in modules()]
    return set().union(*(written for written, _ in found)), set().union(
        *(read for _, read in found)
    )


def tell(use: Use) -> str:
    return f"{use.place} -> {use.table} -> {OWNER[use.table]}"


SAMPLES = {
    "a string over lines": ('X = """\nupdate orders set a = 1"""', "orders", ""),
    "a constant in an f-string": ('T = "contacts"\nX = f"delete from {T}"', "contacts", ""),
    "another package's constant": (
        'from pannier.db import audit\nX = f"update {audit.TABLE} set a = 1"',
        "audit_entries",
        "",
    ),
    "strings that are joined": ('F = "customers c"\nX = "select a from " + F', "", "customers"),
    "tables in a list": ('X = f"select {a} from orders o, vendors v"', "", "orders vendors"),
    "a writing method": ('async def f(db):\n    await db.insert("files", row)', "files", ""),
    "a lease": ('X = Leases("messages")', "messages", ""),
    "another package's table": (
        "from pannier.orders.queries import ORDERS\nX = ORDERS.change(db, row)",
        "orders",
        "",
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sql_of_a_module_is_found_in(name: str) -> None:
    source, writes, reads = SAMPLES[name]
    path = f"sample/{name}.py"
    modules()[path] = ast.parse(source)
    try:
        written, read = uses_in(path)
    finally:
        del modules()[path]
    assert {use.table for use in written} == set(writes.split())
    assert {use.table for use in read} - {use.table for use in written} == set(reads.split())


def test_every_table_of_the_migrations_has_one_owner() -> None:
    files = [*(SOURCE / "db" / "migrations").glob("*.sql"), SOURCE / "db" / "migrate.py"]
    tables = {name for file in files for name in CREATED.findall(file.read_text())}
    listed = [table for some in OWNED.values() for table in some.split()]
    dropped = {name for file in files for name in DROPPED.findall(file.read_text())}
    assert sorted(tables - dropped) == sorted(listed)


def test_only_its_owner_writes_a_table() -> None:
    written, _ = uses()
    assert len(written) > 100
    assert sorted(tell(use) for use in written if use.package != OWNER[use.table]) == []


def test_a_package_reads_its_own_tables_and_those_of_packages_below() -> None:
    _, read = uses()
    assert len(read) > 300
    climbs = [
        use
        for use in read
        if use.package != OWNER[use.table] and depths()[use.package] >= depths()[OWNER[use.table]]
    ]
    excused = {f"{use.place.split(':')[0]}: {use.table}" for use in climbs} & CLIMBS.keys()
    assert excused == CLIMBS.keys(), "an exception that is none any more"
    unexcused = [
        tell(use) for use in climbs if f"{use.place.split(':')[0]}: {use.table}" not in CLIMBS
    ]
    assert sorted(unexcused) == []


def test_every_question_of_a_package_below_is_answered_by_the_owner_it_names() -> None:
    hooks = {
        id(value): value
        for module in pkgutil.walk_packages(pannier.__path__, "pannier.")
        if not module.name.endswith("__main__")
        for value in vars(importlib.import_module(module.name)).values()
        if isinstance(value, Hook)
    }
    assert len(hooks) > 10
    unanswered = [hook.owner for hook in hooks.values() if hook.implementation is None]
    assert unanswered == []
    assert all(hook.implementation.__module__ == hook.owner for hook in hooks.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "loading",
    [
        "import pannier.app",
        "import pannier.worker",
        "import pannier.provisioning",
        "from pannier.cli import access; access.load_hooks()",
    ],
)
def test_whatever_works_with_a_database_has_loaded_the_answers(loading: str) -> None:
    program = f"""
import sys
{loading}
from pannier.kit.hooks import Hook
values = [value for name, module in list(sys.modules.items()) if name.startswith("pannier")
          for value in vars(module).values()]
hooks = [value for value in values if isinstance(value, Hook)]
print(sorted({{hook.owner for hook in hooks if hook.implementation is None}}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
