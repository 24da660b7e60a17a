from typing import Literal

from pytest import TestReport  # noqa: PT013 - as a name, so that pytest does not collect it

from folder_times import FolderTimes


def report(nodeid: str, when: Literal["setup", "call"], seconds: float) -> TestReport:
    return TestReport(nodeid, (nodeid, 1, ""), {}, "passed", None, when, duration=seconds)


def test_seconds_and_tests_are_added_up_per_folder_with_the_slowest_first() -> None:
    times = FolderTimes()
    for nodeid, seconds in (
        ("tests/kit/test_geo.py::test_one", 0.25),
        ("tests/orders/states/test_two.py::test_two[a/b]", 2.0),
        ("tests/orders/test_three.py::test_three", 1.0),
        ("tests/test_worker.py::test_four", 0.5),
    ):
        times.pytest_runtest_logreport(report(nodeid, "setup", seconds / 2))
        times.pytest_runtest_logreport(report(nodeid, "call", seconds / 2))
    assert [line.split() for line in times.lines()] == [
        ["3.0", "s", "2", "tests", "orders"],
        ["0.5", "s", "1", "tests", "test_worker.py"],
        ["0.2", "s", "1", "tests", "kit"],
        ["3.8", "s", "4", "tests", "total"],
    ]
