"""No write escapes the audit log: what a `Table` keeps is written by the table, or named here."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pannier
from architecture.reading import SOURCE, every
from pannier.db import Table

WRITES = re.compile(
    r"\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?([a-z_]+|\{[^}]*\})", re.IGNORECASE
)
# The methods of Db that write a table by its name.
BY_NAME = {"insert", "update", "append"}

# Writes past the table's own, by file and table, and why nothing is missing from the log.
PAST_THE_TABLE = {
    "accounts/auth.py: keys": "when a key was last used is not a change of it",
    "accounts/queries.py: companies": "a count of changes, each of which is in the log",
    "accounts/queries.py: saved_views": "part of removing an operator, which is in the log",
    "accounts/signin.py: operators": "the same password, hashed anew",
    "alerts/reading.py: alerts": "the place in the list; the acknowledgement is in the log",
    "alerts/service.py: alerts": "opened and closed by their causes, which are in the log",
    "customers/provider_links.py: customers": "proof of an address ends another's claim to it",
    "partners/service.py: contacts": "follows the customer, whose own change is in the log",
    "customers/password_signin.py: customers": "the same password, hashed anew",
    "customers/service.py: customers": "an unproved claim ends",
    "imports/erasure.py: imports": "an erasure, which is in the log",
    "imports/runner.py: imports": "the progress of an import, whose requests are in the log",
    "imports/sweep.py: imports": "retention",
    "planning/edits.py: plans": "the routes of a plan, whose figures are in the log",
    "planning/runner.py: plans": "the worker's own: progress and result",
    "planning/service.py: plans": "the request of a plan, whose creation is in the log",
    "orders/aggregate.py: orders": "when the worker looks again is not a change of an order",
    "orders/sweep.py: orders": "when the worker looks again is not a change of an order",
    "orders/unpaid.py: orders": "when the worker looks again is not a change of an order",
    "parked/service.py: parked": "the worker's own, or a command for all",
    "devices/registry/adoption.py: devices": "what is first seen, nobody has made",
    "devices/registry/service.py: devices": "what is made when first seen, nobody has made",
    "fleet/drivers/service.py: drivers": "part of taking a driver in, which is in the log",
    "fleet/fleets/service.py: fleets": "part of deleting the fleet above, which is in the log",
    "orders/quotes/queries.py: service_quotes": "part of a change of the order",
    "places/geocoding_worker.py: places": "when a geocoder is asked is not a change of a place",
    "places/queries.py: places": "part of placing the order, whose payload is in the log",
    "payloads/numbers.py: tracking_numbers": "follow their subject, whose change is in the log",
    "conversations/queries.py: driver_messages": "name their senders themselves",
    "conversations/sweep.py: driver_messages": "deleted after their retention",
    "conversations/erasure.py: driver_messages": "part of erasing somebody, which is in the log",
    "invoices/erasure.py: invoices": "part of erasing somebody, which is in the log",
    "invoices/balances.py: invoices": "follows the payments of its transactions",
    "cash/service.py: cash_collections": "part of a hand-in or remittance, which is in the log",
    "cash/erasure.py: cash_collections": "part of erasing somebody, which is in the log",
    "customers/erasure.py: customers": "part of erasing somebody, which is in the log",
    "fleet/erasure.py: issues": "part of erasing somebody, which is in the log",
    "orders/templates/erasure.py: recurring_orders": "part of erasing somebody, in the log",
    "orders/recurring/sweep.py: recurring_orders": "the worker's own: the next day",
    "orders/templates/erasure.py: order_templates": "part of erasing somebody, which is in the log",
    "orders/erasure.py: delivery_attempts": "part of erasing somebody, which is in the log",
    "orders/erasure.py: orders": "part of erasing somebody, which is in the log",
    "orders/erasure.py: tracking_statuses": "part of erasing somebody, which is in the log",
    "parked/erasure.py: parked": "part of erasing somebody, which is in the log",
    "partners/erasure.py: contacts": "part of erasing somebody, which is in the log",
    "payloads/erasure.py: entities": "part of erasing somebody, which is in the log",
    "payloads/erasure.py: payloads": "part of erasing somebody, which is in the log",
    "payloads/erasure.py: waypoints": "part of erasing somebody, which is in the log",
    "payments/erasure.py: refunds": "part of erasing somebody, which is in the log",
    "payments/erasure.py: transactions": "part of erasing somebody, which is in the log",
    "places/erasure.py: places": "part of erasing somebody, which is in the log",
}
# Tables without a `Table`, and why an operator's change of them is in the log or there is none.
BESIDE = {
    "recurring_days": "what became of a recurring order's days is the record itself",
    "alert_reads": "an operator's own",
    "alert_rules": "an operator's own",
    "attachments": "noted by their verbs",
    "audit_entries": "the log itself",
    "backups": "a record of its own",
    "silence": "one row after a restore, by the one who runs the commands",
    "billing_identities": "what is left of an erased customer, whose erasure is in the log",
    "budget_parts": "a count",
    "challenges": "asked for by whoever signs in or hands over",
    "changed_rates": "a queue",
    "checkouts": "a queue, and what a gateway made",
    "codes": "sent to whoever signs in or hands over",
    "customer_devices": "a customer's own",
    "customer_identities": "a customer's own",
    "customer_pending_links": "a customer's own",
    "departures": "a queue",
    "device_alerts": "follow positions",
    "device_backlog": "a queue",
    "device_batches": "a log",
    "device_changes": "a count of changes, each of which is written down",
    "device_checkpoints": "follow positions",
    "device_corrections": "when something came first",
    "device_events": "a log",
    "device_folds": "follow positions",
    "device_latest": "latest readings",
    "device_put_off": "a queue",
    "device_rejects": "a log",
    "device_states": "signs of life",
    "device_trips": "follow positions",
    "device_counted": "how far sums have come",
    "device_counts": "sums",
    "driver_etas": "follow positions",
    "drives": "follow a driver's vehicle, whose change is in the log",
    "eta_runs": "a queue",
    "event_deletions": "how far the feed is forgotten",
    "event_queue": "a queue",
    "event_relays": "a log",
    "events": "a log",
    "file_sweeps": "a queue",
    "files": "noted by the verbs of files",
    "fleet_members": "noted by the verbs of fleets",
    "api_heartbeats": "a sign of life",
    "heartbeats": "a sign of life",
    "stopped_sweeps": "a note of a worker to its operators",
    "report_companies": "how far reports have come",
    "report_costs": "sums",
    "report_days": "sums",
    "report_devices": "sums",
    "report_driver_trips": "sums",
    "report_drivers": "sums",
    "report_emails": "an operator's own",
    "report_money": "sums",
    "report_queue": "a queue",
    "report_touches": "a queue",
    "report_trips": "sums",
    "report_webhooks": "sums",
    "returned_items": "written with their return, whose creation is in the log",
    "retention_marks": "how far deletions have come",
    "idempotency_answers": "kept answers",
    "charges": "written together with a change of their transaction, which is in the log",
    "order_batch_keys": "kept answers",
    "order_internal_ids": "follow the internal ids of orders, which are in the log",
    "payments": "written together with a change of their transaction, which is in the log",
    "import_keys": "follow what an import creates, which is in the log",
    "import_rows": "results of an import, whose requests are in the log",
    "import_runs": "a queue",
    "sample_records": "records that are in the log, as are adding and removing them",
    "invoice_documents": "written when an invoice is issued, which is in the log",
    "invoice_lines": "written together with a change of their invoice, which is in the log",
    "invoice_series": "a count",
    "invoice_shares": "follow the payments of transactions",
    "driver_message_photos": "written with their message, which names its sender",
    "issue_photos": "noted by the verbs of photos",
    "installation": "the fingerprint of the secret",
    "messages": "a queue, and a log",
    "moved_places": "a queue",
    "news": "what recipients were told",
    "news_queue": "a queue",
    "news_muted": "a recipient's own",
    "news_quiet": "a recipient's own",
    "order_routes": "a queue",
    "order_config_versions": "versions of what is in the log",
    "payment_customers": "names at the gateway",
    "payment_facts": "what gateways said",
    "plan_roads": "what a routing engine measured",
    "plan_runs": "a queue",
    "simulations": "a queue; what robots do is written down as what drivers do",
    "planned_stops": "follow a plan, whose acceptance is in the log",
    "proof_heads": "follow the chain",
    "proof_registers": "a count, signed",
    "proof_keys": "public keys, each with its successor's signature",
    "proof_codes": "unlocking is recorded by its verb",
    "proofs": "a chain of its own; an override is recorded by its verb",
    "provider_replays": "used tokens",
    "service_rate_versions": "versions of what is in the log",
    "tokens": "ending somebody's sign-in is recorded by its verb",
    "webhook_attempts": "a log",
    "webhook_deliveries": "a log; replays are recorded by their verbs",
    "webhook_health": "a count",
    "webhook_claims": "a queue",
    "webhook_queue": "a queue",
    "whereabouts": "where somebody is, is not a change of them",
}
MIGRATIONS = SOURCE / "db" / "migrations"


def tables() -> dict[str, Table[Any]]:
    """Gather every table that somebody declared."""
    found = {}
    for module in pkgutil.walk_packages(pannier.__path__, "pannier."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Table):
                found[value.name] = value
    return found


def writes() -> Iterator[tuple[str, str]]:
    """List where rows are written by hand: the file, and the table."""
    for name, node in every(ast.Constant, ast.JoinedStr, ast.Call):
        if not name.startswith("db/"):
            for table in written(node):
                yield name, table


def written(node: ast.AST) -> Iterator[str]:
    text = None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        text = ast.unparse(node)
    if text is not None:
        yield from WRITES.findall(text)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in BY_NAME
        and node.args
        and isinstance(node.args[0], ast.Constant)
    ):
        yield str(node.args[0].value)


def test_what_is_written_past_its_table_is_known_and_has_a_reason() -> None:
    known = tables()
    assert len(known) > 15
    escaped = {f"{file}: {table}" for file, table in writes() if table in known}
    assert escaped == set(PAST_THE_TABLE)


def test_every_table_writes_its_changes_down_or_says_why_not() -> None:
    made = {
        name
        for file in MIGRATIONS.glob("*.sql")
        for name in re.findall(
            r"^create table (\w+)\b(?! partition of)", file.read_text(), re.MULTILINE
        )
    }
    dropped = {
        name
        for file in MIGRATIONS.glob("*.sql")
        for name in re.findall(r"^drop table (\w+)", file.read_text(), re.MULTILINE)
    }
    assert made - dropped == set(tables()) | set(BESIDE)
    assert not set(tables()) & set(BESIDE)


def test_configuration_is_in_the_log_whoever_changes_it() -> None:
    always = {name for name, table in tables().items() if table.configuration}
    assert always == {
        "companies", "keys", "operators", "order_configs", "service_areas", "service_rates",
        "stores", "webhooks", "zones",
    }  # fmt: skip
