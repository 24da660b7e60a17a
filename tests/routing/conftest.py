"""A shop on the way."""

import pytest

from orders.shop import Shop
from stage import Firm


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)
