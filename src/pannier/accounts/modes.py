"""What only test companies may do."""

from uuid import UUID

from pannier.accounts import queries
from pannier.db import Db
from pannier.errors import Conflict


class TestCompanyRequired(Conflict):
    """Simulations and streams of signed webhooks are for test companies, never for live ones."""

    code = "test_company_required"
    title = "Only test companies can do this."
    remedy = "Use the key of a test company. Its prefix contains `test`."


async def require_test_company(db: Db, company: UUID) -> None:
    """Raise TestCompanyRequired unless the company is in test mode."""
    if (await queries.get_company(db, company)).mode != "test":
        raise TestCompanyRequired
