"""What pending migrations will do: which tables they lock, and which long work they start."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pannier.db.migrate import Migration
from pannier.db.migration_rules import NAME
from pannier.db.statements import Statement, split_statements

# How a statement affects a table that exists before the step, by its shape.
ACTIONS: Final = (
    (re.compile(rf"create (?:unique )?index concurrently .*? on (?:only )?{NAME}"), "indexes"),
    (re.compile(rf"alter table (?:only )?{NAME} ?\*? validate constraint"), "checks"),
    (re.compile(rf"alter table (?:if exists )?(?:only )?{NAME}"), "locks"),
    (re.compile(rf"drop table (?:if exists )?{NAME}"), "drops"),
    (re.compile(rf"(?:update|delete from) (?:only )?{NAME}"), "changes rows of"),
    (re.compile(rf"create (?:unique )?index .*? on (?:only )?{NAME}"), "locks"),
)
_CREATED_TABLE: Final = re.compile(rf"create (?:unlogged )?table (?:if not exists )?{NAME}")
# A block fills a table in batches; its text is a string, so its shape does not show the table.
_FILLED_TABLE: Final = re.compile(
    r"\b(?:update|insert\s+into)\s+(?:only\s+)?(\w+)\s", re.IGNORECASE
)
_EXEMPT_REWRITE: Final = re.compile(r"--\s*allowed rewrite: *\S")


class Effect(NamedTuple):
    """An effect of a step on an existing table."""

    table: str
    verb: str


def list_effects(step: Migration) -> list[Effect]:
    """List the effects of a step on tables that exist before it, in order, each once."""
    created_tables = list_created_tables(step)
    effects = (effect for each in split_statements(step.sql) for effect in _find_effects(each))
    return [effect for effect in dict.fromkeys(effects) if effect.table not in created_tables]


def list_created_tables(step: Migration) -> list[str]:
    """List the tables that a step creates."""
    matches = (_CREATED_TABLE.match(each.shape) for each in split_statements(step.sql))
    return [match[1] for match in matches if match is not None]


def _find_effects(statement: Statement) -> Iterator[Effect]:
    if re.match(r"do\b", statement.shape):
        for table in _FILLED_TABLE.findall(statement.text):
            yield Effect(table, "fills")
        return
    for pattern, verb in ACTIONS:
        if (match := pattern.match(statement.shape)) is not None:
            is_rewrite = any(_EXEMPT_REWRITE.match(line) for line in statement.comments)
            yield Effect(match[1], "rewrites" if is_rewrite else verb)
            return
