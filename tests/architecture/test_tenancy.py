"""Tenancy is an argument one cannot forget: every query begins `db, company`."""

import ast
from collections.abc import Iterator

from architecture.reading import modules

# Queries that name no company, and why. A new one needs a good reason here.
WITHOUT_COMPANY = {
    "orders.find_by_sheet": "whoever holds a proof sheet asks, before a company is known",
    "tracking.find_number": "whoever holds a tracking number asks, before a company is known",
    "accounts.find_key_login": "the key tells the company",
    "accounts.list_operators_by_email": "whoever signs in has only an address and a password",
    "accounts.find_first_company": "asks for a company",
    "accounts.find_company": "asks for a company",
    "accounts.list_company_ids": "asks for companies",
    "invoices.get_linked_invoice": "the link's signature stands for the company",
    "files.get_by_public_id": "the link's signature stands for the company",
    "files.lease_due_sweep": "objects are shared by content between companies",
    "files.is_object_needed": "objects are shared by content between companies",
    "files.has_sweep": "objects are shared by content between companies",
    "files.lock_object_shared": "objects are shared by content between companies",
    "files.try_lock_object": "objects are shared by content between companies",
    "notifications.list_latest_messages": "the command line shows the whole installation's drawer",
    "parked.list_all_parked_work": "the command line shows the whole installation",
    "verification.lock_requests": "a CodeScope names its company",
    "verification.find_open_challenge": "a CodeScope names its company",
    "verification.lock_open_challenge": "a CodeScope names its company",
    "verification.list_recent_challenges": "a CodeScope names its company",
}


def queries() -> Iterator[tuple[str, ast.AsyncFunctionDef]]:
    """List the public queries of every domain."""
    for name, module in modules().items():
        domain, _, file = name.partition("/")
        for node in module.body if file == "queries.py" else ():
            if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_"):
                yield f"{domain}.{node.name}", node


def begins_with_company(node: ast.AsyncFunctionDef) -> bool:
    names = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args]]
    return names[:2] == ["db", "company"]


def test_every_query_takes_db_and_company_first() -> None:
    found = dict(queries())
    assert len(found) > 10
    forgetful = {name for name, node in found.items() if not begins_with_company(node)}
    assert forgetful - set(WITHOUT_COMPANY) == set()


def test_every_query_takes_db_first() -> None:
    assert [name for name, node in queries() if node.args.args[0].arg != "db"] == []


def test_the_exceptions_are_still_exceptions() -> None:
    found = dict(queries())
    stale = {
        name for name in WITHOUT_COMPANY if name not in found or begins_with_company(found[name])
    }
    assert stale == set()


def test_a_company_is_never_optional() -> None:
    for name, node in queries():
        for argument in node.args.args:
            if argument.arg == "company":
                assert argument.annotation is not None, name
                assert ast.unparse(argument.annotation) == "UUID", name
        with_default = node.args.args[len(node.args.args) - len(node.args.defaults) :]
        assert "company" not in {argument.arg for argument in with_default}, name
