// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
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
  readonly alerts: InternalAlerts;
  readonly audit: InternalAudit;
  readonly cash: InternalCash;
  readonly customers: InternalCustomers;
  readonly devices: InternalDevices;
  readonly drivers: InternalDrivers;
  readonly eventCatalog: InternalEventCatalog;
  readonly events: InternalEvents;
  readonly home: InternalHome;
  readonly invoices: InternalInvoices;
  readonly keys: InternalKeys;
  readonly me: InternalMe;
  readonly messages: InternalMessages;
  readonly operators: InternalOperators;
  readonly orders: InternalOrders;
  readonly parked: InternalParked;
  readonly reports: InternalReports;
  readonly sampleData: InternalSampleData;
  readonly savedViews: InternalSavedViews;
  readonly serviceQuotes: InternalServiceQuotes;
  readonly serviceRates: InternalServiceRates;
  readonly sessions: InternalSessions;
  readonly settings: InternalSettings;
  readonly sms: InternalSms;
  readonly storefronts: InternalStorefronts;
  readonly testMessages: InternalTestMessages;
  readonly transactions: InternalTransactions;
  readonly webhookDeliveries: InternalWebhookDeliveries;
  readonly webhooks: InternalWebhooks;
  readonly #transport: Transport;

  constructor(transport: Transport) {
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
  login(body: types.LoginIn, options?: Options): Promise<types.LoginOut> {
    return this.#transport.call("POST", "/int/v1/login", { body, options });
  }

  /** End the session that the request uses. */
  logout(options?: Options): Promise<{ [name: string]: string }> {
    return this.#transport.call("POST", "/int/v1/logout", { options });
  }
}
