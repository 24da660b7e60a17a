// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `downloadDevicesCsv`. */
export interface ReportsDownloadDevicesCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadDriversCsv`. */
export interface ReportsDownloadDriversCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadFirstAttemptCsv`. */
export interface ReportsDownloadFirstAttemptCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadIdleCsv`. */
export interface ReportsDownloadIdleCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadKilometresCsv`. */
export interface ReportsDownloadKilometresCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadMarginCsv`. */
export interface ReportsDownloadMarginCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadOnTimeCsv`. */
export interface ReportsDownloadOnTimeCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadProofsCsv`. */
export interface ReportsDownloadProofsCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadRevenueCsv`. */
export interface ReportsDownloadRevenueCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadVolumeCsv`. */
export interface ReportsDownloadVolumeCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `downloadWebhooksCsv`. */
export interface ReportsDownloadWebhooksCsvQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getDevices`. */
export interface ReportsGetDevicesQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getDrivers`. */
export interface ReportsGetDriversQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getFirstAttempt`. */
export interface ReportsGetFirstAttemptQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getIdle`. */
export interface ReportsGetIdleQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getKilometres`. */
export interface ReportsGetKilometresQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getMargin`. */
export interface ReportsGetMarginQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getOnTime`. */
export interface ReportsGetOnTimeQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getProofs`. */
export interface ReportsGetProofsQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getRevenue`. */
export interface ReportsGetRevenueQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getVolume`. */
export interface ReportsGetVolumeQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

/** Parameters of `getWebhooks`. */
export interface ReportsGetWebhooksQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

export class Reports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Download the report `devices` as CSV. */
  downloadDevicesCsv(
    query: ReportsDownloadDevicesCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/devices/csv", { query, options });
  }

  /** Download the report `drivers` as CSV. */
  downloadDriversCsv(
    query: ReportsDownloadDriversCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/drivers/csv", { query, options });
  }

  /** Download the report `first-attempt` as CSV. */
  downloadFirstAttemptCsv(
    query: ReportsDownloadFirstAttemptCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/first-attempt/csv", { query, options });
  }

  /** Download the report `idle` as CSV. */
  downloadIdleCsv(query: ReportsDownloadIdleCsvQuery = {}, options?: Options): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/idle/csv", { query, options });
  }

  /** Download the report `kilometres` as CSV. */
  downloadKilometresCsv(
    query: ReportsDownloadKilometresCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/kilometres/csv", { query, options });
  }

  /** Download the report `margin` as CSV. */
  downloadMarginCsv(
    query: ReportsDownloadMarginCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/margin/csv", { query, options });
  }

  /** Download the report `on-time` as CSV. */
  downloadOnTimeCsv(
    query: ReportsDownloadOnTimeCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/on-time/csv", { query, options });
  }

  /** Download the report `proofs` as CSV. */
  downloadProofsCsv(
    query: ReportsDownloadProofsCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/proofs/csv", { query, options });
  }

  /** Download the report `revenue` as CSV. */
  downloadRevenueCsv(
    query: ReportsDownloadRevenueCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/revenue/csv", { query, options });
  }

  /** Download the report `volume` as CSV. */
  downloadVolumeCsv(
    query: ReportsDownloadVolumeCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/volume/csv", { query, options });
  }

  /** Download the report `webhooks` as CSV. */
  downloadWebhooksCsv(
    query: ReportsDownloadWebhooksCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/v1/reports/webhooks/csv", { query, options });
  }

  /** Retrieve the report `devices`. */
  getDevices(query: ReportsGetDevicesQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/devices", { query, options });
  }

  /** Retrieve the report `drivers`. */
  getDrivers(query: ReportsGetDriversQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/drivers", { query, options });
  }

  /** Retrieve the report `first-attempt`. */
  getFirstAttempt(
    query: ReportsGetFirstAttemptQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/first-attempt", { query, options });
  }

  /** Retrieve the report `idle`. */
  getIdle(query: ReportsGetIdleQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/idle", { query, options });
  }

  /** Retrieve the report `kilometres`. */
  getKilometres(
    query: ReportsGetKilometresQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/kilometres", { query, options });
  }

  /** Retrieve the report `margin`. */
  getMargin(query: ReportsGetMarginQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/margin", { query, options });
  }

  /** Retrieve the report `on-time`. */
  getOnTime(query: ReportsGetOnTimeQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/on-time", { query, options });
  }

  /** Retrieve the report `proofs`. */
  getProofs(query: ReportsGetProofsQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/proofs", { query, options });
  }

  /** Retrieve the report `revenue`. */
  getRevenue(query: ReportsGetRevenueQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/revenue", { query, options });
  }

  /** Retrieve the report `volume`. */
  getVolume(query: ReportsGetVolumeQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/volume", { query, options });
  }

  /** Retrieve the report `webhooks`. */
  getWebhooks(query: ReportsGetWebhooksQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/v1/reports/webhooks", { query, options });
  }

  /** List the reports. */
  list(options?: Options): Promise<Array<types.ReportInfo>> {
    return this.#transport.call("GET", "/v1/reports", { options });
  }
}
