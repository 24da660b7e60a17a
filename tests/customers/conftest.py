"""Two stores of two companies."""

from itertools import count

import pytest

from customers.mall import Mall
from stage import Firm


@pytest.fixture
def mall(acme: Firm) -> Mall:
    return Mall(acme, count(1))


@pytest.fixture
def outlet(rival: Firm) -> Mall:
    return Mall(rival, count(1))
