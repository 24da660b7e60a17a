"""Rules for migrations that must not disturb the previous release while it is still running.

Machines are upgraded one after the other, without downtime. So a step holds each lock only briefly
and stays compatible with the previous release. Tables that a step creates itself are exempt.
Where a rule does not fit, a comment right before the statement says why:

    -- allowed drop: nothing has read it since 1.3.
    alter table orders drop column colour;
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from pannier.db.migrate import OUTSIDE_MARKER, Migration
from pannier.db.statements import Statement, split_at_commas, split_statements

ADVICE: Final = {
    "rewrite": "This rewrites the whole table under a lock that blocks reads. Add a new column, "
    "fill it in batches, and let the next release read that one.",
    "default": "Only a constant default avoids a rewrite of the existing rows. Add the column "
    "without a default, fill it in batches, then set the default.",
    "not-null": "The previous release inserts rows without this column. Give it a constant "
    "default, or allow null.",
    "set-not-null": "Checking every row for null takes long under the strongest lock. Use three "
    "steps: first `add constraint … check (column is not null) not valid`, then `validate "
    "constraint`, then `set not null` and drop the constraint.",
    "index": "Building an index blocks all writes. Put `create index concurrently if not exists "
    f"name on …` into a step that begins with `{OUTSIDE_MARKER}`.",
    "drop-index": "This waits for all transactions on the table, and blocks new ones meanwhile. "
    "Put `drop index concurrently if exists name` into a step that begins with "
    f"`{OUTSIDE_MARKER}`.",
    "constraint": "Checking every row takes long under a lock. Add the constraint as `not valid`, "
    "and validate it in a later step. For a key, build the index first and use `using index`.",
    "validate": "Together with the statement that added the constraint, or in a transaction, this "
    "blocks others until all rows are checked. Put it into a later step that begins with "
    f"`{OUTSIDE_MARKER}`.",
    "drop": "The previous release still uses this. Drop it one release after its last use, with "
    "the comment `-- allowed drop: …`.",
    "fill": "This keeps every row that it updates locked until the end. Fill in batches: use a "
    f"`do` block that commits after each batch, in a step that begins with `{OUTSIDE_MARKER}`. "
    "For a table that is always small, add the comment `-- allowed fill: …`.",
    "outside": "This cannot be repeated, or requires a transaction. Outside of one, only `create "
    "index concurrently if not exists`, `drop index concurrently if exists`, `validate "
    "constraint` and repeatable `do` blocks are allowed.",
    "inside": f"This cannot run in a transaction. Begin the step with `{OUTSIDE_MARKER}`.",
    "unknown": "No rule covers this statement, so it may block the previous release. Check its "
    "locks, then add a rule or the comment `-- allowed unknown: …`.",
}

NAME: Final = r"(?:public ?\. ?)?(\w+)"
_CREATE_TABLE: Final = re.compile(rf"create (?:unlogged )?table (?:if not exists )?{NAME}")
_ALTER_TABLE: Final = re.compile(rf"alter table (?:if exists )?(?:only )?{NAME} ?\*? (.*)")
_CREATE_INDEX: Final = re.compile(
    rf"create (?:unique )?index (?P<concurrent>concurrently )?(?P<repeatable>if not exists \w+ )?"
    rf"(?:\w+ )?on (?:only )?{NAME}"
)
_WRITE_ROWS: Final = re.compile(rf"(?:update|delete from) (?:only )?{NAME}")
_EXEMPTION: Final = re.compile(r"--\s*allowed ([a-z-]+): *\S")
_CONSTANT_VALUE: Final = re.compile(
    r"(?:''|[-+]? ?\d+(?: ?\. ?\d+)?|true|false|null|array ?\[ ?\])(?: ?:: ?[\w ]+(?:\[ ?\])?)*$"
)
_COLUMN_WORDS: Final = re.compile(r" (?:not null|null|check|unique|primary key|references|default)")
_GENERATED_COLUMN: Final = re.compile(
    r"\bgenerated (?:always|by default) as\b|^add .* (?:small|big)?serial\b"
)
_NULL_CHECK: Final = re.compile(
    r"add constraint (\w+) check ?\( ?\(? ?(\w+) is not null ?\)? ?\) not valid"
)

# Statements that change no existing rows.
HARMLESS: Final = re.compile(
    r"create (?:or replace )?(?:function|procedure|view|sequence|type|domain|extension)\b"
    r"|create (?:or replace )?(?:constraint )?trigger\b"
    r"|create (?:unlogged )?table\b|insert into\b|comment on\b|grant\b|revoke\b|select\b|analyze\b"
    r"|drop (?:function|procedure|view|trigger)\b"
)
HARMLESS_ACTION: Final = re.compile(
    r"alter (?:column )?\w+ (?:set default|drop default|drop not null|set statistics|set storage)\b"
    r"|drop constraint\b|set ?\(|reset ?\("
)


class RuleViolation(NamedTuple):
    """A statement that breaks a rule, and what to do instead."""

    step: str
    statement: str
    rule: str

    def __str__(self) -> str:
        return f"{self.step}: {self.statement}\n    {self.rule}: {ADVICE[self.rule]}"


class ConstraintHistory:
    """The not-null check constraints that earlier steps added and validated."""

    def __init__(self) -> None:
        self.added = dict[tuple[str, str], str]()
        self.validated = set[tuple[str, str]]()

    def record(self, step: Migration) -> None:
        """Record the constraints of a step."""
        for statement in split_statements(step.sql):
            for table, action in _split_actions(statement.shape):
                if added_match := _NULL_CHECK.match(action):
                    self.added[table, added_match[1]] = added_match[2]
                elif validated_match := re.match(r"validate constraint (\w+)", action):
                    self.validated.add((table, validated_match[1]))

    def is_never_null(self, table: str, column: str) -> bool:
        """Return whether a validated constraint rejects null in the column."""
        return any(
            key in self.validated and key[0] == table and column_name == column
            for key, column_name in self.added.items()
        )


def find_violations(steps: list[Migration]) -> list[RuleViolation]:
    """Return the violations of all steps, in order."""
    violations, history = list[RuleViolation](), ConstraintHistory()
    for step in steps:
        violations += _check_step(step, history)
        history.record(step)
    return violations


def _check_step(step: Migration, history: ConstraintHistory) -> Iterator[RuleViolation]:
    statements = list(split_statements(step.sql))
    new_tables = {
        match[1] for statement in statements if (match := _CREATE_TABLE.match(statement.shape))
    }
    for statement in statements:
        violated_rules = (
            _check_outside_transaction(statement)
            if step.runs_outside_transaction
            else _check_in_transaction(statement, new_tables, history)
        )
        exempt_rules = {
            match[1] for line in statement.comments if (match := _EXEMPTION.match(line))
        }
        for rule in dict.fromkeys(violated_rules):
            if rule not in exempt_rules:
                yield RuleViolation(step.name, " ".join(statement.text.split())[:120], rule)


def _check_outside_transaction(statement: Statement) -> Iterator[str]:
    shape = statement.shape
    index_match = _CREATE_INDEX.match(shape)
    actions = list(_split_actions(shape))
    is_allowed = (
        (index_match is not None and index_match["concurrent"] and index_match["repeatable"])
        or re.match(r"drop index concurrently if exists \w+$", shape)
        or (actions and all(action.startswith("validate constraint") for _, action in actions))
        or re.match(r"do\b", shape)
    )
    if not is_allowed:
        yield "index" if index_match is not None else "outside"


def _check_in_transaction(
    statement: Statement, new_tables: set[str], history: ConstraintHistory
) -> Iterator[str]:
    shape = statement.shape
    if " concurrently " in shape:
        yield "inside"
    elif index_match := _CREATE_INDEX.match(shape):
        yield from () if index_match[3] in new_tables else ("index",)
    elif write_match := _WRITE_ROWS.match(shape):
        yield from () if write_match[1] in new_tables else ("fill",)
    elif shape.startswith("alter table"):
        for table, action in _split_actions(shape):
            if table not in new_tables:
                yield from _check_action(table, action, history)
    elif shape.startswith("drop index"):
        yield "drop-index"
    elif re.match(r"drop table|truncate", shape):
        yield "drop"
    elif not HARMLESS.match(shape):
        yield "unknown"


def _split_actions(shape: str) -> Iterator[tuple[str, str]]:
    """Yield each action of an `alter table`, with the table."""
    table_match = _ALTER_TABLE.match(shape)
    if table_match is not None:
        for action in split_at_commas(table_match[2]):
            yield table_match[1], action


def _check_action(table: str, action: str, history: ConstraintHistory) -> Iterator[str]:
    for pattern, rule in ACTIONS:
        if re.match(pattern, action):
            yield from (rule,) if isinstance(rule, str) else rule(table, action, history)
            return
    yield from () if HARMLESS_ACTION.match(action) else ("unknown",)


def _check_constraint(_: str, action: str, __: ConstraintHistory) -> Iterator[str]:
    if not re.search(r"\bnot valid$|\busing index \w+", action):
        yield "constraint"


def _check_not_null(table: str, action: str, history: ConstraintHistory) -> Iterator[str]:
    column = action.removeprefix("alter ").removeprefix("column ").split()[0]
    if not history.is_never_null(table, column):
        yield "set-not-null"


def _check_new_column(_: str, action: str, __: ConstraintHistory) -> Iterator[str]:
    default = re.search(r" default (.*)", action)
    value = _COLUMN_WORDS.split(default[1])[0] if default is not None else "null"
    if _GENERATED_COLUMN.search(action):
        yield "rewrite"
    elif not _CONSTANT_VALUE.match(value):
        yield "default"
    elif " not null" in action and value == "null":
        yield "not-null"
    if re.search(r" (?:check ?\(|unique\b|primary key\b)", action) or (
        " references " in action and value != "null"
    ):
        yield "constraint"


ActionCheck: TypeAlias = Callable[[str, str, ConstraintHistory], Iterator[str]]

# Rules for the actions of `alter table`. The first matching pattern gives the violated rule, or a
# function that finds the violations.
ACTIONS: Final[tuple[tuple[str, str | ActionCheck], ...]] = (
    (
        r"add (?:constraint \w+ )?(?:check|foreign key|unique|primary key|exclude)\b",
        _check_constraint,
    ),
    (r"add (?:column )?(?:if not exists )?\w+ ", _check_new_column),
    (r"alter (?:column )?\w+ set not null", _check_not_null),
    (r"alter (?:column )?\w+ (?:set data )?type\b", "rewrite"),
    (r"alter (?:column )?\w+ add generated\b", "rewrite"),
    (r"set (?:logged|unlogged|tablespace|access method)\b", "rewrite"),
    (r"validate constraint\b", "validate"),
    (r"rename\b|drop (?!constraint\b)", "drop"),
)
