"""What a process loads: only what it needs, since each of them makes somebody wait."""

import subprocess
import sys

import pytest

HEAVY = {
    "litestar",
    "rich",
    "numpy",
    "shapely",
    "aiodns",
    "markdown_it",
    "aiohttp",
    "stripe",
    "apprise",
}


def loaded_by(module: str) -> set[str]:
    command = [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return HEAVY & set(done.stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize("command", ["serve", "migrate", "worker"])
def test_what_answers_no_requests_loads_nothing_that_answers_them(command: str) -> None:
    assert loaded_by(f"pannier.cli.{command}") == set()


@pytest.mark.slow
def test_the_interface_loads_what_few_requests_need_with_the_first_of_them() -> None:
    assert loaded_by("pannier.cli.api") <= {"litestar", "aiohttp"}


@pytest.mark.slow
def test_what_somebody_else_has_loaded_stays_as_it_was() -> None:
    command = "import sys, rich, pannier.web.logs; assert sys.modules['rich'] is rich"
    subprocess.run([sys.executable, "-c", command], check=True)
