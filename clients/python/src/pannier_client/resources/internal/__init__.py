# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Unpack

from pannier_client.requests import Options
from pannier_client.resources.internal.alerts import AsyncInternalAlerts, InternalAlerts
from pannier_client.resources.internal.audit import AsyncInternalAudit, InternalAudit
from pannier_client.resources.internal.cash import AsyncInternalCash, InternalCash
from pannier_client.resources.internal.customers import AsyncInternalCustomers, InternalCustomers
from pannier_client.resources.internal.devices import AsyncInternalDevices, InternalDevices
from pannier_client.resources.internal.drivers import AsyncInternalDrivers, InternalDrivers
from pannier_client.resources.internal.event_catalog import (
    AsyncInternalEventCatalog,
    InternalEventCatalog,
)
from pannier_client.resources.internal.events import AsyncInternalEvents, InternalEvents
from pannier_client.resources.internal.home import AsyncInternalHome, InternalHome
from pannier_client.resources.internal.invoices import AsyncInternalInvoices, InternalInvoices
from pannier_client.resources.internal.keys import AsyncInternalKeys, InternalKeys
from pannier_client.resources.internal.me import AsyncInternalMe, InternalMe
from pannier_client.resources.internal.messages import AsyncInternalMessages, InternalMessages
from pannier_client.resources.internal.operators import AsyncInternalOperators, InternalOperators
from pannier_client.resources.internal.orders import AsyncInternalOrders, InternalOrders
from pannier_client.resources.internal.parked import AsyncInternalParked, InternalParked
from pannier_client.resources.internal.reports import AsyncInternalReports, InternalReports
from pannier_client.resources.internal.sample_data import (
    AsyncInternalSampleData,
    InternalSampleData,
)
from pannier_client.resources.internal.saved_views import (
    AsyncInternalSavedViews,
    InternalSavedViews,
)
from pannier_client.resources.internal.service_quotes import (
    AsyncInternalServiceQuotes,
    InternalServiceQuotes,
)
from pannier_client.resources.internal.service_rates import (
    AsyncInternalServiceRates,
    InternalServiceRates,
)
from pannier_client.resources.internal.sessions import AsyncInternalSessions, InternalSessions
from pannier_client.resources.internal.settings import AsyncInternalSettings, InternalSettings
from pannier_client.resources.internal.sms import AsyncInternalSms, InternalSms
from pannier_client.resources.internal.storefronts import (
    AsyncInternalStorefronts,
    InternalStorefronts,
)
from pannier_client.resources.internal.test_messages import (
    AsyncInternalTestMessages,
    InternalTestMessages,
)
from pannier_client.resources.internal.transactions import (
    AsyncInternalTransactions,
    InternalTransactions,
)
from pannier_client.resources.internal.webhook_deliveries import (
    AsyncInternalWebhookDeliveries,
    InternalWebhookDeliveries,
)
from pannier_client.resources.internal.webhooks import AsyncInternalWebhooks, InternalWebhooks
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class Internal:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @cached_property
    def alerts(self) -> InternalAlerts:
        return InternalAlerts(self._transport)

    @cached_property
    def audit(self) -> InternalAudit:
        return InternalAudit(self._transport)

    @cached_property
    def cash(self) -> InternalCash:
        return InternalCash(self._transport)

    @cached_property
    def customers(self) -> InternalCustomers:
        return InternalCustomers(self._transport)

    @cached_property
    def devices(self) -> InternalDevices:
        return InternalDevices(self._transport)

    @cached_property
    def drivers(self) -> InternalDrivers:
        return InternalDrivers(self._transport)

    @cached_property
    def event_catalog(self) -> InternalEventCatalog:
        return InternalEventCatalog(self._transport)

    @cached_property
    def events(self) -> InternalEvents:
        return InternalEvents(self._transport)

    @cached_property
    def home(self) -> InternalHome:
        return InternalHome(self._transport)

    @cached_property
    def invoices(self) -> InternalInvoices:
        return InternalInvoices(self._transport)

    @cached_property
    def keys(self) -> InternalKeys:
        return InternalKeys(self._transport)

    @cached_property
    def me(self) -> InternalMe:
        return InternalMe(self._transport)

    @cached_property
    def messages(self) -> InternalMessages:
        return InternalMessages(self._transport)

    @cached_property
    def operators(self) -> InternalOperators:
        return InternalOperators(self._transport)

    @cached_property
    def orders(self) -> InternalOrders:
        return InternalOrders(self._transport)

    @cached_property
    def parked(self) -> InternalParked:
        return InternalParked(self._transport)

    @cached_property
    def reports(self) -> InternalReports:
        return InternalReports(self._transport)

    @cached_property
    def sample_data(self) -> InternalSampleData:
        return InternalSampleData(self._transport)

    @cached_property
    def saved_views(self) -> InternalSavedViews:
        return InternalSavedViews(self._transport)

    @cached_property
    def service_quotes(self) -> InternalServiceQuotes:
        return InternalServiceQuotes(self._transport)

    @cached_property
    def service_rates(self) -> InternalServiceRates:
        return InternalServiceRates(self._transport)

    @cached_property
    def sessions(self) -> InternalSessions:
        return InternalSessions(self._transport)

    @cached_property
    def settings(self) -> InternalSettings:
        return InternalSettings(self._transport)

    @cached_property
    def sms(self) -> InternalSms:
        return InternalSms(self._transport)

    @cached_property
    def storefronts(self) -> InternalStorefronts:
        return InternalStorefronts(self._transport)

    @cached_property
    def test_messages(self) -> InternalTestMessages:
        return InternalTestMessages(self._transport)

    @cached_property
    def transactions(self) -> InternalTransactions:
        return InternalTransactions(self._transport)

    @cached_property
    def webhook_deliveries(self) -> InternalWebhookDeliveries:
        return InternalWebhookDeliveries(self._transport)

    @cached_property
    def webhooks(self) -> InternalWebhooks:
        return InternalWebhooks(self._transport)

    def login(
        self, *, options: Options | None = None, **fields: Unpack[types.LoginIn]
    ) -> types.LoginOut:
        """Sign an operator in."""
        return self._transport.call("POST", "/int/v1/login", body=fields, options=options)

    def logout(self, *, options: Options | None = None) -> dict[str, str]:
        """End the session that the request uses."""
        return self._transport.call("POST", "/int/v1/logout", options=options)


class AsyncInternal:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @cached_property
    def alerts(self) -> AsyncInternalAlerts:
        return AsyncInternalAlerts(self._transport)

    @cached_property
    def audit(self) -> AsyncInternalAudit:
        return AsyncInternalAudit(self._transport)

    @cached_property
    def cash(self) -> AsyncInternalCash:
        return AsyncInternalCash(self._transport)

    @cached_property
    def customers(self) -> AsyncInternalCustomers:
        return AsyncInternalCustomers(self._transport)

    @cached_property
    def devices(self) -> AsyncInternalDevices:
        return AsyncInternalDevices(self._transport)

    @cached_property
    def drivers(self) -> AsyncInternalDrivers:
        return AsyncInternalDrivers(self._transport)

    @cached_property
    def event_catalog(self) -> AsyncInternalEventCatalog:
        return AsyncInternalEventCatalog(self._transport)

    @cached_property
    def events(self) -> AsyncInternalEvents:
        return AsyncInternalEvents(self._transport)

    @cached_property
    def home(self) -> AsyncInternalHome:
        return AsyncInternalHome(self._transport)

    @cached_property
    def invoices(self) -> AsyncInternalInvoices:
        return AsyncInternalInvoices(self._transport)

    @cached_property
    def keys(self) -> AsyncInternalKeys:
        return AsyncInternalKeys(self._transport)

    @cached_property
    def me(self) -> AsyncInternalMe:
        return AsyncInternalMe(self._transport)

    @cached_property
    def messages(self) -> AsyncInternalMessages:
        return AsyncInternalMessages(self._transport)

    @cached_property
    def operators(self) -> AsyncInternalOperators:
        return AsyncInternalOperators(self._transport)

    @cached_property
    def orders(self) -> AsyncInternalOrders:
        return AsyncInternalOrders(self._transport)

    @cached_property
    def parked(self) -> AsyncInternalParked:
        return AsyncInternalParked(self._transport)

    @cached_property
    def reports(self) -> AsyncInternalReports:
        return AsyncInternalReports(self._transport)

    @cached_property
    def sample_data(self) -> AsyncInternalSampleData:
        return AsyncInternalSampleData(self._transport)

    @cached_property
    def saved_views(self) -> AsyncInternalSavedViews:
        return AsyncInternalSavedViews(self._transport)

    @cached_property
    def service_quotes(self) -> AsyncInternalServiceQuotes:
        return AsyncInternalServiceQuotes(self._transport)

    @cached_property
    def service_rates(self) -> AsyncInternalServiceRates:
        return AsyncInternalServiceRates(self._transport)

    @cached_property
    def sessions(self) -> AsyncInternalSessions:
        return AsyncInternalSessions(self._transport)

    @cached_property
    def settings(self) -> AsyncInternalSettings:
        return AsyncInternalSettings(self._transport)

    @cached_property
    def sms(self) -> AsyncInternalSms:
        return AsyncInternalSms(self._transport)

    @cached_property
    def storefronts(self) -> AsyncInternalStorefronts:
        return AsyncInternalStorefronts(self._transport)

    @cached_property
    def test_messages(self) -> AsyncInternalTestMessages:
        return AsyncInternalTestMessages(self._transport)

    @cached_property
    def transactions(self) -> AsyncInternalTransactions:
        return AsyncInternalTransactions(self._transport)

    @cached_property
    def webhook_deliveries(self) -> AsyncInternalWebhookDeliveries:
        return AsyncInternalWebhookDeliveries(self._transport)

    @cached_property
    def webhooks(self) -> AsyncInternalWebhooks:
        return AsyncInternalWebhooks(self._transport)

    async def login(
        self, *, options: Options | None = None, **fields: Unpack[types.LoginIn]
    ) -> types.LoginOut:
        """Sign an operator in."""
        return await self._transport.call("POST", "/int/v1/login", body=fields, options=options)

    async def logout(self, *, options: Options | None = None) -> dict[str, str]:
        """End the session that the request uses."""
        return await self._transport.call("POST", "/int/v1/logout", options=options)
