"""A depot and a store of the company, because drivers and customers hold tokens too."""

from itertools import count

import pytest

from customers.mall import Mall
from fleet.depot import Depot
from stage import Firm


@pytest.fixture
def depot(acme: Firm) -> Depot:
    return Depot(acme)


@pytest.fixture
def mall(acme: Firm) -> Mall:
    return Mall(acme, count(1))
