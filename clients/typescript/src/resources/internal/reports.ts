// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `downloadDevicesCsv`. */
export interface InternalReportsDownloadDevicesCsvQuery {
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
export interface InternalReportsDownloadDriversCsvQuery {
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
export interface InternalReportsDownloadFirstAttemptCsvQuery {
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
export interface InternalReportsDownloadIdleCsvQuery {
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
export interface InternalReportsDownloadKilometresCsvQuery {
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
export interface InternalReportsDownloadMarginCsvQuery {
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
export interface InternalReportsDownloadOnTimeCsvQuery {
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
export interface InternalReportsDownloadProofsCsvQuery {
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
export interface InternalReportsDownloadRevenueCsvQuery {
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
export interface InternalReportsDownloadVolumeCsvQuery {
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
export interface InternalReportsDownloadWebhooksCsvQuery {
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
export interface InternalReportsGetDevicesQuery {
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
export interface InternalReportsGetDriversQuery {
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
export interface InternalReportsGetFirstAttemptQuery {
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
export interface InternalReportsGetIdleQuery {
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
export interface InternalReportsGetKilometresQuery {
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
export interface InternalReportsGetMarginQuery {
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
export interface InternalReportsGetOnTimeQuery {
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
export interface InternalReportsGetProofsQuery {
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
export interface InternalReportsGetRevenueQuery {
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
export interface InternalReportsGetVolumeQuery {
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
export interface InternalReportsGetWebhooksQuery {
  /** The first day. Defaults to 30 days up to `to`. */
  from?: string | undefined;
  /** The last day, at most 366 days in total. Defaults to today. */
  to?: string | undefined;
  /**
   * The days of a row. Weeks begin on Monday. `drivers` has one row for each driver and all days.
   */
  by?: types.ReportPeriod | undefined;
}

export class InternalReports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Download the report `devices` as CSV. */
  downloadDevicesCsv(
    query: InternalReportsDownloadDevicesCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/devices/csv", { query, options });
  }

  /** Download the report `drivers` as CSV. */
  downloadDriversCsv(
    query: InternalReportsDownloadDriversCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/drivers/csv", { query, options });
  }

  /** Download the report `first-attempt` as CSV. */
  downloadFirstAttemptCsv(
    query: InternalReportsDownloadFirstAttemptCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/first-attempt/csv", { query, options });
  }

  /** Download the report `idle` as CSV. */
  downloadIdleCsv(
    query: InternalReportsDownloadIdleCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/idle/csv", { query, options });
  }

  /** Download the report `kilometres` as CSV. */
  downloadKilometresCsv(
    query: InternalReportsDownloadKilometresCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/kilometres/csv", { query, options });
  }

  /** Download the report `margin` as CSV. */
  downloadMarginCsv(
    query: InternalReportsDownloadMarginCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/margin/csv", { query, options });
  }

  /** Download the report `on-time` as CSV. */
  downloadOnTimeCsv(
    query: InternalReportsDownloadOnTimeCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/on-time/csv", { query, options });
  }

  /** Download the report `proofs` as CSV. */
  downloadProofsCsv(
    query: InternalReportsDownloadProofsCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/proofs/csv", { query, options });
  }

  /** Download the report `revenue` as CSV. */
  downloadRevenueCsv(
    query: InternalReportsDownloadRevenueCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/revenue/csv", { query, options });
  }

  /** Download the report `volume` as CSV. */
  downloadVolumeCsv(
    query: InternalReportsDownloadVolumeCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/volume/csv", { query, options });
  }

  /** Download the report `webhooks` as CSV. */
  downloadWebhooksCsv(
    query: InternalReportsDownloadWebhooksCsvQuery = {},
    options?: Options,
  ): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/reports/webhooks/csv", { query, options });
  }

  /** Retrieve the report `devices`. */
  getDevices(
    query: InternalReportsGetDevicesQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/devices", { query, options });
  }

  /** Retrieve the report `drivers`. */
  getDrivers(
    query: InternalReportsGetDriversQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/drivers", { query, options });
  }

  /** Retrieve the report `first-attempt`. */
  getFirstAttempt(
    query: InternalReportsGetFirstAttemptQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/first-attempt", { query, options });
  }

  /** Retrieve the report `idle`. */
  getIdle(query: InternalReportsGetIdleQuery = {}, options?: Options): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/idle", { query, options });
  }

  /** Retrieve the report `kilometres`. */
  getKilometres(
    query: InternalReportsGetKilometresQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/kilometres", { query, options });
  }

  /** Retrieve the report `margin`. */
  getMargin(
    query: InternalReportsGetMarginQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/margin", { query, options });
  }

  /** Retrieve the report `on-time`. */
  getOnTime(
    query: InternalReportsGetOnTimeQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/on-time", { query, options });
  }

  /** Retrieve the report `proofs`. */
  getProofs(
    query: InternalReportsGetProofsQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/proofs", { query, options });
  }

  /** Retrieve the report `revenue`. */
  getRevenue(
    query: InternalReportsGetRevenueQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/revenue", { query, options });
  }

  /** Retrieve the report `volume`. */
  getVolume(
    query: InternalReportsGetVolumeQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/volume", { query, options });
  }

  /** Retrieve the report `webhooks`. */
  getWebhooks(
    query: InternalReportsGetWebhooksQuery = {},
    options?: Options,
  ): Promise<types.ReportOut> {
    return this.#transport.call("GET", "/int/v1/reports/webhooks", { query, options });
  }

  /** List the reports. */
  list(options?: Options): Promise<Array<types.ReportInfo>> {
    return this.#transport.call("GET", "/int/v1/reports", { options });
  }
}
