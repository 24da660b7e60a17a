"""A company with the currency euro that invoices its customers."""

import pytest

from invoices.desk import Desk
from stage import Firm


@pytest.fixture
async def desk(acme: Firm) -> Desk:
    desk = Desk(acme)
    await desk.configure(currency="EUR", time_zone="Europe/Helsinki")
    return desk
