"""Two companies that have things delivered."""

import pytest

from orders.shop import Shop
from stage import Firm


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


@pytest.fixture
def market(rival: Firm) -> Shop:
    return Shop(rival)
