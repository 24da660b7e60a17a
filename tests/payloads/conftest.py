"""Two companies with things to send."""

import pytest

from payloads.warehouse import Warehouse
from stage import Firm


@pytest.fixture
def depot(acme: Firm) -> Warehouse:
    return Warehouse(acme)


@pytest.fixture
def theirs(rival: Firm) -> Warehouse:
    return Warehouse(rival)
