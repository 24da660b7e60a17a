"""What gateways and providers have of somebody who left is given up, however often it takes."""

import asyncio

from pannier.kit.clock import ManualClock
from pannier.payments.stripe import StripeGateway
from pannier.privacy import departures, erasure
from payments import bank as banks
from payments.bank import told
from payments.till import INTENT, Till, equipped
from probe import refused
from stage import House


async def test_an_account_at_the_gateway_is_deleted_once_it_answers(
    house: House, clock: ManualClock
) -> None:
    async with banks.opened() as bank:
        gateway = StripeGateway(
            banks.SECRET_KEY, banks.PUBLISHABLE_KEY, url=bank.url, retries=0, test_serves_live=True
        )
        till = Till(await equipped(house, gateway).found("Acme"))
        made, client = await till.visitor()
        assert (await client.post(INTENT)).status_code == 200
        [account] = bank.accounts
        erase = f"/int/v1/customers/{made['id']}/erase"
        assert (await till.firm.admin.post(erase, json={"reason": "Asked."})).status_code == 200
        while await erasure.step(house.database):
            pass
        # Nobody reads the account's name in the queue.
        assert account not in str(await house.value("select sealed::text from departures"))
        providers = house.edge.services["providers"]
        bank.fail(f"/v1/customers/{account}", told(500, "api_error"))
        assert await departures.step(house.database, gateway, providers) is True
        assert await departures.step(house.database, gateway, providers) is False
        clock.advance(hours=1)
        assert await departures.step(house.database, gateway, providers) is True
        assert bank.accounts == set()
        assert await house.value("select count(*) from departures") == 0
        await gateway.close()


async def test_an_account_that_a_slow_gateway_makes_for_somebody_erased_meanwhile_goes_again(
    house: House,
) -> None:
    async with banks.opened() as bank:
        gateway = StripeGateway(
            banks.SECRET_KEY, banks.PUBLISHABLE_KEY, url=bank.url, retries=0, test_serves_live=True
        )
        till = Till(await equipped(house, gateway).found("Acme"))
        made, client = await till.visitor()
        bank.open.clear()
        asking = asyncio.create_task(client.post(INTENT))
        await bank.crowd(1)
        erase = f"/int/v1/customers/{made['id']}/erase"
        assert (await till.firm.admin.post(erase, json={"reason": "Asked."})).status_code == 200
        while await erasure.step(house.database):
            pass
        bank.open.set()
        refused(await asking, 401, "customer_token_invalid")
        assert await house.value("select count(*) from payment_customers") == 0
        assert len(bank.accounts) == 1
        providers = house.edge.services["providers"]
        assert await departures.step(house.database, gateway, providers) is True
        assert bank.accounts == set()
        await gateway.close()
