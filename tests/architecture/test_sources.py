"""House rules that a machine can read off the sources."""

import ast
import re

from architecture.reading import ROOT, SOURCE, every, modules

SAYS_NOTHING = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "manager",
    "managers",
    "base",
    "misc",
}
TRANSACTION_WORDS = re.compile(
    r"^\s*(commit|rollback|begin|start\s+transaction|savepoint|release\s+savepoint|abort|end)\b",
    re.IGNORECASE,
)


def test_every_module_is_named_after_what_it_holds() -> None:
    names = {
        part
        for path in SOURCE.rglob("*.py")
        for word in path.relative_to(SOURCE).with_suffix("").parts
        for part in word.split("_")
    }
    assert names & SAYS_NOTHING == set()


def test_every_class_and_function_is_named_after_what_it_is() -> None:
    found = [
        f"{name}:{node.lineno} {node.name}"
        for name, node in every(ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if re.search(r"(^|_)(utils?|helpers?|manager)(_|$)|Manager$|Helper$|Utils?$", node.name)
    ]
    assert found == []


def test_every_connection_to_the_database_is_opened_in_one_place() -> None:
    found = [
        name
        for name, node in every(ast.Attribute)
        if isinstance(node.value, ast.Name)
        and node.value.id == "asyncpg"
        and node.attr in {"connect", "create_pool"}
    ]
    assert found == ["db/monitored_connection.py"], (
        "elsewhere it has no keepalive, and nobody watches over it"
    )


# Names that said something only to whoever knew the glossary.
PUZZLES = {"deed", "deeds", "bond", "bonds", "residence", "settle", "settles"}


def test_no_class_or_function_has_a_name_that_puzzled_people() -> None:
    made = [
        (name, node.name)
        for name, node in every(ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    ]
    parts = {
        (file, name, part.lower())
        for file, name in made
        for part in re.findall("[A-Z]?[a-z]+", name)
    }
    # Money that is owed is settled, and nothing else.
    puzzling = [
        f"{file} {name}"
        for file, name, part in parts
        if part in PUZZLES and not file.startswith("payments/")
    ]
    assert puzzling == []
    assert [name for _, name in made].count("Lane") == 1


SENDING = re.compile(r"\bpg_notify\b|^\s*notify\s+[a-z_]+\s*(,|;|$)", re.IGNORECASE)


def test_notifications_are_sent_after_the_commit_and_only_by_the_notifier() -> None:
    senders = {name for name, node in every(ast.Constant) if SENDING.search(str(node.value))}
    assert senders == {"db/notifier.py"}


MAX_LINES = 400


def test_no_file_is_longer_than_one_reader_holds() -> None:
    lines = {
        str(path.relative_to(SOURCE)): len(path.read_text().splitlines())
        for pattern in ("*.py", "*.js")
        for path in SOURCE.rglob(pattern)
        if "vendor" not in path.relative_to(SOURCE).parts
    }
    assert {name: count for name, count in lines.items() if count > MAX_LINES} == {}


def test_every_module_says_what_it_holds() -> None:
    """Functions and classes need no docstring where the name says it all."""
    assert [name for name, module in modules().items() if ast.get_docstring(module) is None] == []


def test_every_package_says_what_it_is() -> None:
    folders = {path.parent for path in SOURCE.rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_only_the_database_package_begins_and_ends_transactions() -> None:
    found = [
        f"{name}:{node.lineno} {node.value!r}"
        for name, node in every(ast.Call)
        if not name.startswith("db/")
        for node in node.args
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and TRANSACTION_WORDS.match(node.value)
    ]
    assert found == []


def test_only_the_edge_ends_a_requests_transaction() -> None:
    """Handlers and verbs neither commit nor settle; `transaction()` and the edge do."""
    found = [
        f"{name}:{node.lineno}"
        for name, node in every(ast.Attribute)
        if node.attr in {"commit", "rollback", "settle"}
        and not name.startswith("db/")
        and name not in {"web/edge.py", "web/buffered_response.py"}
    ]
    assert found == []


def test_every_exemption_from_a_check_gives_its_reason() -> None:
    exemption = re.compile(r"#\s*(noqa|type: ignore)(: [A-Z0-9, ]+|\[[^\]]*\])?(?P<reason>.*)$")
    found = []
    for folder in (SOURCE, ROOT / "tests", ROOT / "bench", ROOT / "scripts"):
        for path in sorted(folder.rglob("*.py")):
            above = ""
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = exemption.search(line)
                explained = match and (match["reason"].strip(" -#") or above.startswith("#"))
                if match and not explained:
                    found.append(f"{path.name}:{number}")
                above = line.strip()
    assert found == []
