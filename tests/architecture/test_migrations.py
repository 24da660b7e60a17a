"""No migration holds up the program of the release before it."""

from pannier.db.migrate import known
from pannier.db.migration_rules import findings


def test_migrations_leave_the_traffic_alone() -> None:
    assert [str(finding) for finding in findings(known())] == []


def test_migrations_are_numbered_without_gaps() -> None:
    steps = known()
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
