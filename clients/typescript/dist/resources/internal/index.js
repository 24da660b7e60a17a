import { InternalAlerts } from "./alerts.js";
import { InternalAudit } from "./audit.js";
import { InternalCash } from "./cash/index.js";
import { InternalCustomers } from "./customers.js";
import { InternalDevices } from "./devices.js";
import { InternalDrivers } from "./drivers.js";
import { InternalEventCatalog } from "./eventCatalog.js";
import { InternalEvents } from "./events.js";
import { InternalHome } from "./home.js";
import { InternalInvoices } from "./invoices.js";
import { InternalKeys } from "./keys.js";
import { InternalMe } from "./me.js";
import { InternalMessages } from "./messages.js";
import { InternalOperators } from "./operators.js";
import { InternalOrders } from "./orders.js";
import { InternalParked } from "./parked.js";
import { InternalReports } from "./reports.js";
import { InternalSampleData } from "./sampleData.js";
import { InternalSavedViews } from "./savedViews.js";
import { InternalServiceQuotes } from "./serviceQuotes.js";
import { InternalServiceRates } from "./serviceRates.js";
import { InternalSessions } from "./sessions.js";
import { InternalSettings } from "./settings.js";
import { InternalSms } from "./sms.js";
import { InternalStorefronts } from "./storefronts.js";
import { InternalTestMessages } from "./testMessages.js";
import { InternalTransactions } from "./transactions.js";
import { InternalWebhookDeliveries } from "./webhookDeliveries.js";
import { InternalWebhooks } from "./webhooks.js";
export class Internal {
    alerts;
    audit;
    cash;
    customers;
    devices;
    drivers;
    eventCatalog;
    events;
    home;
    invoices;
    keys;
    me;
    messages;
    operators;
    orders;
    parked;
    reports;
    sampleData;
    savedViews;
    serviceQuotes;
    serviceRates;
    sessions;
    settings;
    sms;
    storefronts;
    testMessages;
    transactions;
    webhookDeliveries;
    webhooks;
    #transport;
    constructor(transport) {
        this.#transport = transport;
        this.alerts = new InternalAlerts(transport);
        this.audit = new InternalAudit(transport);
        this.cash = new InternalCash(transport);
        this.customers = new InternalCustomers(transport);
        this.devices = new InternalDevices(transport);
        this.drivers = new InternalDrivers(transport);
        this.eventCatalog = new InternalEventCatalog(transport);
        this.events = new InternalEvents(transport);
        this.home = new InternalHome(transport);
        this.invoices = new InternalInvoices(transport);
        this.keys = new InternalKeys(transport);
        this.me = new InternalMe(transport);
        this.messages = new InternalMessages(transport);
        this.operators = new InternalOperators(transport);
        this.orders = new InternalOrders(transport);
        this.parked = new InternalParked(transport);
        this.reports = new InternalReports(transport);
        this.sampleData = new InternalSampleData(transport);
        this.savedViews = new InternalSavedViews(transport);
        this.serviceQuotes = new InternalServiceQuotes(transport);
        this.serviceRates = new InternalServiceRates(transport);
        this.sessions = new InternalSessions(transport);
        this.settings = new InternalSettings(transport);
        this.sms = new InternalSms(transport);
        this.storefronts = new InternalStorefronts(transport);
        this.testMessages = new InternalTestMessages(transport);
        this.transactions = new InternalTransactions(transport);
        this.webhookDeliveries = new InternalWebhookDeliveries(transport);
        this.webhooks = new InternalWebhooks(transport);
    }
    /** Sign an operator in. */
    login(body, options) {
        return this.#transport.call("POST", "/int/v1/login", { body, options });
    }
    /** End the session that the request uses. */
    logout(options) {
        return this.#transport.call("POST", "/int/v1/logout", { options });
    }
}
