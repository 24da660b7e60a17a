# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of the clients."""

from __future__ import annotations

from functools import cached_property

from pannier_client.resources.addresses import Addresses, AsyncAddresses
from pannier_client.resources.cash import AsyncCash, Cash
from pannier_client.resources.companies import AsyncCompanies, Companies
from pannier_client.resources.contacts import AsyncContacts, Contacts
from pannier_client.resources.devices import AsyncDevices, Devices
from pannier_client.resources.driver_messages import AsyncDriverMessages, DriverMessages
from pannier_client.resources.drivers import AsyncDrivers, Drivers
from pannier_client.resources.entities import AsyncEntities, Entities
from pannier_client.resources.events import AsyncEvents, Events
from pannier_client.resources.files import AsyncFiles, Files
from pannier_client.resources.fleet_module import AsyncFleetModule, FleetModule
from pannier_client.resources.fleets import AsyncFleets, Fleets
from pannier_client.resources.imports import AsyncImports, Imports
from pannier_client.resources.internal import AsyncInternal, Internal
from pannier_client.resources.invoices import AsyncInvoices, Invoices
from pannier_client.resources.issues import AsyncIssues, Issues
from pannier_client.resources.labels import AsyncLabels, Labels
from pannier_client.resources.order_configs import AsyncOrderConfigs, OrderConfigs
from pannier_client.resources.order_templates import AsyncOrderTemplates, OrderTemplates
from pannier_client.resources.orders import AsyncOrders, Orders
from pannier_client.resources.organizations import AsyncOrganizations, Organizations
from pannier_client.resources.payloads import AsyncPayloads, Payloads
from pannier_client.resources.places import AsyncPlaces, Places
from pannier_client.resources.plans import AsyncPlans, Plans
from pannier_client.resources.proofs import AsyncProofs, Proofs
from pannier_client.resources.recurring_orders import AsyncRecurringOrders, RecurringOrders
from pannier_client.resources.reports import AsyncReports, Reports
from pannier_client.resources.service_areas import AsyncServiceAreas, ServiceAreas
from pannier_client.resources.service_quotes import AsyncServiceQuotes, ServiceQuotes
from pannier_client.resources.service_rates import AsyncServiceRates, ServiceRates
from pannier_client.resources.storefront import AsyncStorefront, Storefront
from pannier_client.resources.tracking_numbers import AsyncTrackingNumbers, TrackingNumbers
from pannier_client.resources.tracking_statuses import AsyncTrackingStatuses, TrackingStatuses
from pannier_client.resources.transactions import AsyncTransactions, Transactions
from pannier_client.resources.vehicles import AsyncVehicles, Vehicles
from pannier_client.resources.vendors import AsyncVendors, Vendors
from pannier_client.resources.waypoints import AsyncWaypoints, Waypoints
from pannier_client.resources.webhook_deliveries import AsyncWebhookDeliveries, WebhookDeliveries
from pannier_client.resources.webhooks import AsyncWebhooks, Webhooks
from pannier_client.resources.zones import AsyncZones, Zones
from pannier_client.transport import AsyncTransport, Transport


class Resources:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @cached_property
    def addresses(self) -> Addresses:
        return Addresses(self._transport)

    @cached_property
    def cash(self) -> Cash:
        return Cash(self._transport)

    @cached_property
    def companies(self) -> Companies:
        return Companies(self._transport)

    @cached_property
    def contacts(self) -> Contacts:
        return Contacts(self._transport)

    @cached_property
    def devices(self) -> Devices:
        return Devices(self._transport)

    @cached_property
    def driver_messages(self) -> DriverMessages:
        return DriverMessages(self._transport)

    @cached_property
    def drivers(self) -> Drivers:
        return Drivers(self._transport)

    @cached_property
    def entities(self) -> Entities:
        return Entities(self._transport)

    @cached_property
    def events(self) -> Events:
        return Events(self._transport)

    @cached_property
    def files(self) -> Files:
        return Files(self._transport)

    @cached_property
    def fleet_module(self) -> FleetModule:
        return FleetModule(self._transport)

    @cached_property
    def fleets(self) -> Fleets:
        return Fleets(self._transport)

    @cached_property
    def imports(self) -> Imports:
        return Imports(self._transport)

    @cached_property
    def internal(self) -> Internal:
        return Internal(self._transport)

    @cached_property
    def invoices(self) -> Invoices:
        return Invoices(self._transport)

    @cached_property
    def issues(self) -> Issues:
        return Issues(self._transport)

    @cached_property
    def labels(self) -> Labels:
        return Labels(self._transport)

    @cached_property
    def order_configs(self) -> OrderConfigs:
        return OrderConfigs(self._transport)

    @cached_property
    def order_templates(self) -> OrderTemplates:
        return OrderTemplates(self._transport)

    @cached_property
    def orders(self) -> Orders:
        return Orders(self._transport)

    @cached_property
    def organizations(self) -> Organizations:
        return Organizations(self._transport)

    @cached_property
    def payloads(self) -> Payloads:
        return Payloads(self._transport)

    @cached_property
    def places(self) -> Places:
        return Places(self._transport)

    @cached_property
    def plans(self) -> Plans:
        return Plans(self._transport)

    @cached_property
    def proofs(self) -> Proofs:
        return Proofs(self._transport)

    @cached_property
    def recurring_orders(self) -> RecurringOrders:
        return RecurringOrders(self._transport)

    @cached_property
    def reports(self) -> Reports:
        return Reports(self._transport)

    @cached_property
    def service_areas(self) -> ServiceAreas:
        return ServiceAreas(self._transport)

    @cached_property
    def service_quotes(self) -> ServiceQuotes:
        return ServiceQuotes(self._transport)

    @cached_property
    def service_rates(self) -> ServiceRates:
        return ServiceRates(self._transport)

    @cached_property
    def storefront(self) -> Storefront:
        return Storefront(self._transport)

    @cached_property
    def tracking_numbers(self) -> TrackingNumbers:
        return TrackingNumbers(self._transport)

    @cached_property
    def tracking_statuses(self) -> TrackingStatuses:
        return TrackingStatuses(self._transport)

    @cached_property
    def transactions(self) -> Transactions:
        return Transactions(self._transport)

    @cached_property
    def vehicles(self) -> Vehicles:
        return Vehicles(self._transport)

    @cached_property
    def vendors(self) -> Vendors:
        return Vendors(self._transport)

    @cached_property
    def waypoints(self) -> Waypoints:
        return Waypoints(self._transport)

    @cached_property
    def webhook_deliveries(self) -> WebhookDeliveries:
        return WebhookDeliveries(self._transport)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self._transport)

    @cached_property
    def zones(self) -> Zones:
        return Zones(self._transport)


class AsyncResources:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @cached_property
    def addresses(self) -> AsyncAddresses:
        return AsyncAddresses(self._transport)

    @cached_property
    def cash(self) -> AsyncCash:
        return AsyncCash(self._transport)

    @cached_property
    def companies(self) -> AsyncCompanies:
        return AsyncCompanies(self._transport)

    @cached_property
    def contacts(self) -> AsyncContacts:
        return AsyncContacts(self._transport)

    @cached_property
    def devices(self) -> AsyncDevices:
        return AsyncDevices(self._transport)

    @cached_property
    def driver_messages(self) -> AsyncDriverMessages:
        return AsyncDriverMessages(self._transport)

    @cached_property
    def drivers(self) -> AsyncDrivers:
        return AsyncDrivers(self._transport)

    @cached_property
    def entities(self) -> AsyncEntities:
        return AsyncEntities(self._transport)

    @cached_property
    def events(self) -> AsyncEvents:
        return AsyncEvents(self._transport)

    @cached_property
    def files(self) -> AsyncFiles:
        return AsyncFiles(self._transport)

    @cached_property
    def fleet_module(self) -> AsyncFleetModule:
        return AsyncFleetModule(self._transport)

    @cached_property
    def fleets(self) -> AsyncFleets:
        return AsyncFleets(self._transport)

    @cached_property
    def imports(self) -> AsyncImports:
        return AsyncImports(self._transport)

    @cached_property
    def internal(self) -> AsyncInternal:
        return AsyncInternal(self._transport)

    @cached_property
    def invoices(self) -> AsyncInvoices:
        return AsyncInvoices(self._transport)

    @cached_property
    def issues(self) -> AsyncIssues:
        return AsyncIssues(self._transport)

    @cached_property
    def labels(self) -> AsyncLabels:
        return AsyncLabels(self._transport)

    @cached_property
    def order_configs(self) -> AsyncOrderConfigs:
        return AsyncOrderConfigs(self._transport)

    @cached_property
    def order_templates(self) -> AsyncOrderTemplates:
        return AsyncOrderTemplates(self._transport)

    @cached_property
    def orders(self) -> AsyncOrders:
        return AsyncOrders(self._transport)

    @cached_property
    def organizations(self) -> AsyncOrganizations:
        return AsyncOrganizations(self._transport)

    @cached_property
    def payloads(self) -> AsyncPayloads:
        return AsyncPayloads(self._transport)

    @cached_property
    def places(self) -> AsyncPlaces:
        return AsyncPlaces(self._transport)

    @cached_property
    def plans(self) -> AsyncPlans:
        return AsyncPlans(self._transport)

    @cached_property
    def proofs(self) -> AsyncProofs:
        return AsyncProofs(self._transport)

    @cached_property
    def recurring_orders(self) -> AsyncRecurringOrders:
        return AsyncRecurringOrders(self._transport)

    @cached_property
    def reports(self) -> AsyncReports:
        return AsyncReports(self._transport)

    @cached_property
    def service_areas(self) -> AsyncServiceAreas:
        return AsyncServiceAreas(self._transport)

    @cached_property
    def service_quotes(self) -> AsyncServiceQuotes:
        return AsyncServiceQuotes(self._transport)

    @cached_property
    def service_rates(self) -> AsyncServiceRates:
        return AsyncServiceRates(self._transport)

    @cached_property
    def storefront(self) -> AsyncStorefront:
        return AsyncStorefront(self._transport)

    @cached_property
    def tracking_numbers(self) -> AsyncTrackingNumbers:
        return AsyncTrackingNumbers(self._transport)

    @cached_property
    def tracking_statuses(self) -> AsyncTrackingStatuses:
        return AsyncTrackingStatuses(self._transport)

    @cached_property
    def transactions(self) -> AsyncTransactions:
        return AsyncTransactions(self._transport)

    @cached_property
    def vehicles(self) -> AsyncVehicles:
        return AsyncVehicles(self._transport)

    @cached_property
    def vendors(self) -> AsyncVendors:
        return AsyncVendors(self._transport)

    @cached_property
    def waypoints(self) -> AsyncWaypoints:
        return AsyncWaypoints(self._transport)

    @cached_property
    def webhook_deliveries(self) -> AsyncWebhookDeliveries:
        return AsyncWebhookDeliveries(self._transport)

    @cached_property
    def webhooks(self) -> AsyncWebhooks:
        return AsyncWebhooks(self._transport)

    @cached_property
    def zones(self) -> AsyncZones:
        return AsyncZones(self._transport)
