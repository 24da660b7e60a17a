// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `downloadLabel`. */
export interface OrdersDownloadLabelQuery {
  /** `zpl` is for label printers with 203 dpi. */
  format?: "pdf" | "png" | "zpl" | undefined;
  /** `a6` (105 x 148 mm), `4x6` (inches), or `a4`: four labels on a sheet. ZPL has no sheets. */
  size?: "4x6" | "a4" | "a6" | undefined;
  /**
   * The position of the first label on an `a4` sheet, from left to right. Earlier positions stay
   * blank, so that a used sheet can be printed again.
   */
  start?: number | undefined;
}

/** Parameters of `get`. */
export interface OrdersGetQuery {
  /**
   * Return only these fields, up to 20: names of an order's fields, or paths of up to three names
   * for those inside, such as `customer.name`, `payload.dropoff.city` or `meta.shop`. Separate them
   * with commas, or repeat the parameter. The other fields are left out, even those that the schema
   * requires.
   */
  fields?: string | ReadonlyArray<string> | undefined;
  /**
   * Inline the whole records of these: `customer`, `driver`, `facilitator`, `order_config`,
   * `service_quote`, `transaction` or `vehicle`. `payload` always is. A field with an identifier
   * then has the record as an object, and a short form gains the other fields of its record.
   * Records of these can be inlined too, such as `driver.vehicle` or `customer.place`; an unknown
   * name lists them all. The API key needs the scope to read them, such as `drivers:read`. Separate
   * names with commas, or repeat the parameter. Not for drivers.
   */
  expand?: string | ReadonlyArray<string> | undefined;
}

/** Parameters of `list`. */
export interface OrdersListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`,
   * `status`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /**
   * Search text: any part of the order's numbers, notes, the customer's name, an item, an address,
   * or a phone number or e-mail address of the customer or at a stop. Case, accents and spacing do
   * not matter. Searches for items, addresses and people find the newest orders of at most 1,000
   * matching records.
   */
  query?: string | undefined;
  /** Filter by identifier, tracking number or the company's own number. */
  id?: string | ReadonlyArray<string> | undefined;
  /** Any of these. */
  status?: string | ReadonlyArray<string> | undefined;
  /** The configuration's key. */
  type?: string | undefined;
  /** An order configuration, by identifier or key. Defaults to the company's. */
  order_config?: string | undefined;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id?: string | undefined;
  /** Assigned to this driver. */
  driver?: string | undefined;
  /** Assigned to this vehicle. */
  vehicle?: string | undefined;
  /** A contact or vendor, by its identifier. */
  customer?: string | undefined;
  /** A vendor or contact, by its identifier. */
  facilitator?: string | undefined;
  /** Payload, by UUID or public id. */
  payload?: string | undefined;
  /** Collected at this place. */
  pickup?: string | undefined;
  /** Delivered to this place. */
  dropoff?: string | undefined;
  /** The tracking number of the order, a stop or an item. */
  tracking?: string | undefined;
  /** Any of these. */
  price_status?: types.PriceStatus | ReadonlyArray<types.PriceStatus> | undefined;
  /** Any of these. */
  payment_status?: types.OrderPaymentStatus | ReadonlyArray<types.OrderPaymentStatus> | undefined;
  /** Exactly this balance. */
  balance?: number | undefined;
  /** At least this balance, such as 1 for what is owed. */
  balance_min?: number | undefined;
  /** At most this balance, such as -1 for credits. */
  balance_max?: number | undefined;
  /** Return only orders that require proof; `false` returns the others. */
  pod_required?: boolean | undefined;
  /** Return only ad-hoc orders; `false` returns the others. */
  adhoc?: boolean | undefined;
  /** Return only dispatched orders; `false` returns the others. */
  dispatched?: boolean | undefined;
  /** Return only started orders; `false` returns the others. */
  started?: boolean | undefined;
  /** Dispatched, and still open. */
  active?: boolean | undefined;
  /** Only orders without a driver. */
  unassigned?: boolean | undefined;
  /** Whether the order is dispatched automatically. */
  scheduled?: boolean | undefined;
  /** Open, and late, held or with an issue that is not resolved. */
  attention?: boolean | undefined;
  /**
   * Open, and after the end of its time window, or after its scheduled time while it is not
   * dispatched.
   */
  late?: boolean | undefined;
  /** Open, and on hold after a failed attempt until somebody decides. */
  held?: boolean | undefined;
  /** A delivery attempt failed on this day in the company's time zone. */
  failed_on?: string | undefined;
  /** Completed on this day in the company's time zone. */
  completed_on?: string | undefined;
  /** Completed, and whether that was before the end of its time window. */
  on_time?: boolean | undefined;
  /**
   * Open, and by the ETA at a stop `late` for its time window, or `at_risk`: less than ten minutes
   * before its end.
   */
  forecast?: "at_risk" | "late" | ReadonlyArray<"at_risk" | "late"> | undefined;
  /** Scheduled for this day in the company's time zone, or created on it when not scheduled. */
  on?: string | undefined;
  /**
   * Open, and under way or due by the end of today in the company's time zone: by its schedule or
   * time window, if it has one.
   */
  today?: boolean | undefined;
  /** Created at or after this moment. */
  since?: string | Date | undefined;
  /** Created before this moment. */
  until?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_until?: string | Date | undefined;
  /**
   * Return only these fields, up to 20: names of an order's fields, or paths of up to three names
   * for those inside, such as `customer.name`, `payload.dropoff.city` or `meta.shop`. Separate them
   * with commas, or repeat the parameter. The other fields are left out, even those that the schema
   * requires.
   */
  fields?: string | ReadonlyArray<string> | undefined;
  /**
   * Inline the whole records of these: `customer`, `driver`, `facilitator`, `order_config`,
   * `service_quote`, `transaction` or `vehicle`. `payload` always is. A field with an identifier
   * then has the record as an object, and a short form gains the other fields of its record.
   * Records of these can be inlined too, such as `driver.vehicle` or `customer.place`; an unknown
   * name lists them all. The API key needs the scope to read them, such as `drivers:read`. Separate
   * names with commas, or repeat the parameter. Not for drivers.
   */
  expand?: string | ReadonlyArray<string> | undefined;
}

/** Parameters of `listAssignmentWarnings`. */
export interface OrdersListAssignmentWarningsQuery {
  /** The driver. Defaults to the assigned one. */
  driver?: string | undefined;
  /** The vehicle. Defaults to the driver's or the assigned one. */
  vehicle?: string | undefined;
}

/** Parameters of `listAttempts`. */
export interface OrdersListAttemptsQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
}

/** Parameters of `listDriverCandidates`. */
export interface OrdersListDriverCandidatesQuery {
  /** Part of a name or a phone number. */
  query?: string | undefined;
  /** Filter by limit. */
  limit?: number | undefined;
}

/** Parameters of `listNearby`. */
export interface OrdersListNearbyQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
}

/** Parameters of `listNextActivities`. */
export interface OrdersListNextActivitiesQuery {
  /** Only activities at this stop. */
  waypoint?: string | undefined;
}

/** Parameters of `listServiceQuotes`. */
export interface OrdersListServiceQuotesQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by stored state; see also `status`. */
  state?: types.QuoteState | undefined;
}

export class Orders {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Assign a driver to an order, with the driver's vehicle or another one. */
  assignDriver(
    orderId: string,
    body: types.AssignIn,
    options?: Options,
  ): Promise<types.AssignedOrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/assign-driver`,
      { body, options },
    );
  }

  /** Cancel an open order. */
  cancel(orderId: string, body: types.CancelIn = {}, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/cancel`, { body, options });
  }

  /** Attach photos to an order, a stop or an item; without a subject, to the order. */
  capturePhoto(
    orderId: string,
    body: types.PhotoIn = {},
    options?: Options,
  ): Promise<types.CapturedOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/capture-photo`,
      { body, options },
    );
  }

  /** Attach photos to an order, a stop or an item; without a subject, to the order. */
  capturePhotoForSubject(
    orderId: string,
    subjectId: string,
    body: types.PhotoIn = {},
    options?: Options,
  ): Promise<types.CapturedOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/capture-photo/${segment(subjectId)}`,
      { body, options },
    );
  }

  /** Attach a scanned code to an order, a stop or an item; without a subject, to the order. */
  captureQr(
    orderId: string,
    body: types.ScanIn = {},
    options?: Options,
  ): Promise<types.CapturedOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/capture-qr`,
      { body, options },
    );
  }

  /** Attach a scanned code to an order, a stop or an item; without a subject, to the order. */
  captureQrForSubject(
    orderId: string,
    subjectId: string,
    body: types.ScanIn = {},
    options?: Options,
  ): Promise<types.CapturedOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/capture-qr/${segment(subjectId)}`,
      { body, options },
    );
  }

  /** Attach a signature to an order, a stop or an item; without a subject, to the order. */
  captureSignature(
    orderId: string,
    body: types.SignatureIn = {},
    options?: Options,
  ): Promise<types.CapturedOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/capture-signature`,
      { body, options },
    );
  }

  /** Attach a signature to an order, a stop or an item; without a subject, to the order. */
  captureSignatureForSubject(
    orderId: string,
    subjectId: string,
    body: types.SignatureIn = {},
    options?: Options,
  ): Promise<types.CapturedOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/capture-signature/${segment(subjectId)}`,
      { body, options },
    );
  }

  /** Prove a delivery with the SMS code that the recipient gave to the driver. */
  captureSms(orderId: string, body: types.SmsIn, options?: Options): Promise<types.CapturedOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/capture-sms`,
      { body, options },
    );
  }

  /** Prove a delivery with the SMS code that the recipient gave to the driver. */
  captureSmsForSubject(
    orderId: string,
    subjectId: string,
    body: types.SmsIn,
    options?: Options,
  ): Promise<types.CapturedOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/capture-sms/${segment(subjectId)}`,
      { body, options },
    );
  }

  /** Record cash on delivery that a driver collected. */
  collectCash(
    orderId: string,
    body: types.CollectCashIn,
    options?: Options,
  ): Promise<types.CashCollectionOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/collect-cash`,
      { body, options },
    );
  }

  /** Complete an order when its final activity is next. */
  complete(
    orderId: string,
    body: types.CompleteIn = {},
    options?: Options,
  ): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/complete`,
      { body, options },
    );
  }

  /** Create an order. */
  create(body: types.OrderIn = {}, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call("POST", "/v1/orders", { body, options });
  }

  /** Create up to 500 orders. */
  createBatch(body: types.OrderBatchIn, options?: Options): Promise<types.OrderBatchOut> {
    return this.#transport.call("POST", "/v1/orders/batch", { body, options });
  }

  /** Charge an order, or credit it with a negative amount. */
  createCharge(
    orderId: string,
    body: types.ChargeIn,
    options?: Options,
  ): Promise<types.OrderChargesOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/charges`,
      { body, options },
    );
  }

  /** Delete an order. */
  delete(orderId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/orders/${segment(orderId)}`, { options });
  }

  /** Stop the simulation of an order. */
  deleteSimulate(orderId: string, options?: Options): Promise<types.SimulationOut> {
    return this.#transport.call("DELETE", `/v1/orders/${segment(orderId)}/simulate`, { options });
  }

  /** Dispatch an order to its driver. */
  dispatch(
    orderId: string,
    body: types.DispatchIn = {},
    options?: Options,
  ): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/dispatch`,
      { body, options },
    );
  }

  /** Download the shipping label of an order, for its last stop. */
  downloadLabel(
    orderId: string,
    query: OrdersDownloadLabelQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download(`/v1/orders/${segment(orderId)}/label`, { query, options });
  }

  /** Render the proofs of an order as PDF, with at least one page for each stop. */
  downloadProofSheetPdf(orderId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(`/v1/orders/${segment(orderId)}/proof-sheet.pdf`, { options });
  }

  /** List the proofs of an order as CSV. */
  downloadProofsCsv(orderId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(`/v1/orders/${segment(orderId)}/proofs.csv`, { options });
  }

  /** Download an order's proofs and images as a ZIP file, for independent verification. */
  downloadProofsZip(orderId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(`/v1/orders/${segment(orderId)}/proofs.zip`, { options });
  }

  /** Create an order like this one: the same route, items, customer, options and flow. */
  duplicate(
    orderId: string,
    body: types.DuplicateIn = {},
    options?: Options,
  ): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/duplicate`,
      { body, options },
    );
  }

  /** Report a failed delivery attempt. */
  failAttempt(orderId: string, body: types.AttemptIn, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/fail-attempt`,
      { body, options },
    );
  }

  /** Find the drivers whose routes an order fits best. */
  findBestDrivers(
    orderId: string,
    body: types.BestDriversIn = {},
    options?: Options,
  ): Promise<Array<types.BestDriverOut>> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/best-drivers`,
      { body, options },
    );
  }

  /** Retrieve an order. */
  get(orderId: string, query: OrdersGetQuery = {}, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call("GET", `/v1/orders/${segment(orderId)}`, { query, options });
  }

  /** Show the account of an order: charges, payments and what is still owed. */
  getCharges(orderId: string, options?: Options): Promise<types.OrderChargesOut> {
    return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/charges`, { options });
  }

  /** Calculate the distance and duration of the current route. */
  getDistanceAndTime(orderId: string, options?: Options): Promise<types.RouteOut> {
    return this.#transport.call(
      "GET",
      `/v1/orders/${segment(orderId)}/distance-and-time`,
      { options },
    );
  }

  /** Retrieve the flow of an order and of its stops, with the proofs they need. */
  getFlow(orderId: string, options?: Options): Promise<types.FlowOut> {
    return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/flow`, { options });
  }

  /** Retrieve the lines of an order's route along streets. */
  getRoute(orderId: string, options?: Options): Promise<types.OrderRouteOut> {
    return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/route`, { options });
  }

  /** Retrieve the latest simulation of an order. */
  getSimulate(orderId: string, options?: Options): Promise<types.SimulationOut> {
    return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/simulate`, { options });
  }

  /** Retrieve the position, progress and ETA of an order. */
  getTracker(orderId: string, options?: Options): Promise<types.Tracked> {
    return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/tracker`, { options });
  }

  /** List orders. */
  list(query: OrdersListQuery = {}, options?: Options): Pages<types.OrderOut> {
    return this.#transport.list("/v1/orders", query, options);
  }

  /** List warnings about the assigned driver and vehicle, or about the given ones. */
  listAssignmentWarnings(
    orderId: string,
    query: OrdersListAssignmentWarningsQuery = {},
    options?: Options,
  ): Promise<Array<types.AssignmentWarning>> {
    return this.#transport.call(
      "GET",
      `/v1/orders/${segment(orderId)}/assignment-warnings`,
      { query, options },
    );
  }

  /** List the failed attempts of an order, newest first. */
  listAttempts(
    orderId: string,
    query: OrdersListAttemptsQuery = {},
    options?: Options,
  ): Pages<types.DeliveryAttemptOut> {
    return this.#transport.list(`/v1/orders/${segment(orderId)}/attempts`, query, options);
  }

  /** List drivers for an order, nearest first, with their work, vehicle, shifts and warnings. */
  listDriverCandidates(
    orderId: string,
    query: OrdersListDriverCandidatesQuery = {},
    options?: Options,
  ): Promise<Array<types.CandidateOut>> {
    return this.#transport.call(
      "GET",
      `/v1/orders/${segment(orderId)}/driver-candidates`,
      { query, options },
    );
  }

  /** List the open ad-hoc orders near the driver, nearest first. */
  listNearby(query: OrdersListNearbyQuery = {}, options?: Options): Promise<Array<types.OfferOut>> {
    return this.#transport.call("GET", "/v1/orders/nearby", { query, options });
  }

  /** List the activities that may fire now, and the proofs they still need. */
  listNextActivities(
    orderId: string,
    query: OrdersListNextActivitiesQuery = {},
    options?: Options,
  ): Promise<Array<types.NextActivity>> {
    return this.#transport.call(
      "GET",
      `/v1/orders/${segment(orderId)}/next-activity`,
      { query, options },
    );
  }

  /** List the proofs of an order, a stop or an item, in the order they were received. */
  listProofs(orderId: string, options?: Options): Promise<Array<types.ProofOut>> {
    return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/proofs`, { options });
  }

  /** List the proofs of an order, a stop or an item, in the order they were received. */
  listProofsForSubject(
    orderId: string,
    subjectId: string,
    options?: Options,
  ): Promise<Array<types.ProofOut>> {
    return this.#transport.call(
      "GET",
      `/v1/orders/${segment(orderId)}/proofs/${segment(subjectId)}`,
      { options },
    );
  }

  /** List the items of an order, and how many pieces of each can still be returned. */
  listReturnableItems(orderId: string, options?: Options): Promise<Array<types.ReturnableItem>> {
    return this.#transport.call(
      "GET",
      `/v1/orders/${segment(orderId)}/returnable-items`,
      { options },
    );
  }

  /** List the quotes of an order, newest first, including replaced ones. */
  listServiceQuotes(
    orderId: string,
    query: OrdersListServiceQuotesQuery = {},
    options?: Options,
  ): Pages<types.OrderQuoteOut> {
    return this.#transport.list(`/v1/orders/${segment(orderId)}/service-quotes`, query, options);
  }

  /** Sort the stops of an order that has not started, to save time. */
  optimize(orderId: string, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/optimize`, { options });
  }

  /** Reprice an order and list its new quotes, cheapest first. */
  renewServiceQuotes(orderId: string, options?: Options): Promise<Array<types.OrderQuoteOut>> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/service-quotes`,
      { options },
    );
  }

  /** Reopen a canceled order. */
  reopen(orderId: string, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/reopen`, { options });
  }

  /** Decide what happens after a failed delivery attempt. */
  resumeAttempt(
    orderId: string,
    body: types.DecisionIn,
    options?: Options,
  ): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/resume-attempt`,
      { body, options },
    );
  }

  /** Create an order that brings delivered items back to where they were picked up. */
  return(orderId: string, body: types.ReturnIn = {}, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/return`, { body, options });
  }

  /** Set the auto-dispatch time of an order. */
  schedule(
    orderId: string,
    body: types.ScheduleIn = {},
    options?: Options,
  ): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/schedule`,
      { body, options },
    );
  }

  /** Send an SMS code to the stop's contact or the order's customer. */
  sendSmsCode(orderId: string, options?: Options): Promise<types.ProofCodeSent> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/send-sms-code`,
      { options },
    );
  }

  /** Send an SMS code to the stop's contact or the order's customer. */
  sendSmsCodeForSubject(
    orderId: string,
    subjectId: string,
    options?: Options,
  ): Promise<types.ProofCodeSent> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/send-sms-code/${segment(subjectId)}`,
      { options },
    );
  }

  /** Set the next stop, by waypoint or by place. */
  setDestination(orderId: string, stopId: string, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/set-destination/${segment(stopId)}`,
      { options },
    );
  }

  /** Let a robot deliver an order of a test company. */
  simulate(
    orderId: string,
    body: types.SimulateIn = {},
    options?: Options,
  ): Promise<types.SimulationOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/simulate`,
      { body, options },
    );
  }

  /** Start an order. */
  start(orderId: string, body: types.StartIn = {}, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/start`, { body, options });
  }

  /** Take an offered ad-hoc order. */
  take(orderId: string, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/take`, { options });
  }

  /** Unassign the driver of an order before it is dispatched. */
  unassignDriver(orderId: string, options?: Options): Promise<types.OrderOut> {
    return this.#transport.call(
      "DELETE",
      `/v1/orders/${segment(orderId)}/assign-driver`,
      { options },
    );
  }

  /** Update an order. */
  update(
    orderId: string,
    body: types.OrderChange = {},
    options?: Options,
  ): Promise<types.OrderOut> {
    return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}`, { body, options });
  }

  /** Fire the next activity. */
  updateActivity(
    orderId: string,
    body: types.ActivityIn,
    options?: Options,
  ): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/orders/${segment(orderId)}/update-activity`,
      { body, options },
    );
  }

  /** Verify that the proofs of an order are complete and unchanged. */
  verifyProofs(orderId: string, options?: Options): Promise<types.ChainOut> {
    return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/verify-proofs`, { options });
  }
}
