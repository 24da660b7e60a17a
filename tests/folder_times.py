"""A report of how long the tests of each folder took, printed at the end of a run."""

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


class FolderTimes:
    """Adds up the seconds that each folder's tests took, on whichever worker they ran."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count setup, call and teardown of a test."""
        folder = find_folder(report.nodeid)
        self.seconds[folder] += report.duration
        self.tests[folder] += report.when == "setup"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the slowest folder first, unless there is only one."""
        if len(self.seconds) > 1:
            terminalreporter.section("seconds per folder")
            for line in self.lines():
                terminalreporter.write_line(line)

    def lines(self) -> list[str]:
        """Write a line for each folder, and one for all of them."""
        rows = [*self.seconds.most_common(), ("total", self.seconds.total())]
        counts = self.tests | Counter(total=self.tests.total())
        return [f"{seconds:8.1f} s  {counts[name]:6} tests  {name}" for name, seconds in rows]


def find_folder(nodeid: str) -> str:
    """Return the folder of `tests` that a test belongs to, or its file where it has none."""
    return nodeid.partition("::")[0].removeprefix(f"{TESTS.name}/").partition("/")[0]
