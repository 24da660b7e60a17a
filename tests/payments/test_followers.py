"""Whatever settles transactions has loaded what their orders follow them by."""

import subprocess
import sys

import pytest

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("module", ["pannier.app", "pannier.worker", "pannier.cli.payments"])
def test_a_process_that_settles_transactions_tells_their_orders(module: str) -> None:
    program = f"import sys, {module}; print('pannier.orders.quotes.service' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "True"
