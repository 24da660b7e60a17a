"""Two companies with people and vans."""

import pytest

from fleet.depot import Depot
from stage import Firm


@pytest.fixture
def depot(acme: Firm) -> Depot:
    return Depot(acme)


@pytest.fixture
def yard(rival: Firm) -> Depot:
    return Depot(rival)
