// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface DriversListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`,
   * `name`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Search words. */
  query?: string | undefined;
  /** Any of these. */
  id?: string | ReadonlyArray<string> | undefined;
  /** Filter by status. */
  status?: types.DriverStatus | undefined;
  /** Return only those online; `false` returns the others. */
  online?: boolean | undefined;
  /** With country code. */
  phone?: string | undefined;
  /** The company's own reference. */
  internal_id?: string | undefined;
  /** ISO 3166, two letters. */
  country?: string | undefined;
  /** Filter by city. */
  city?: string | undefined;
  /** Filter by vehicle. */
  vehicle?: string | undefined;
  /** Only members of this fleet. */
  fleet?: string | undefined;
  /**
   * `latitude,longitude` or GeoJSON. Lists the nearest first. Only online drivers, unless `online`
   * is sent.
   */
  nearby?: string | undefined;
  /** Metres around `nearby`. */
  radius?: number | undefined;
}

/** Parameters of `listPositions`. */
export interface DriversListPositionsQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `recorded_at`. */
  sort?: string | undefined;
  /** Recorded at or after this time. */
  since?: string | Date | undefined;
  /** Recorded before this time. */
  until?: string | Date | undefined;
}

export class Drivers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Call for help. */
  callForHelp(driverId: string, body: types.SosIn = {}, options?: Options): Promise<types.SosOut> {
    return this.#transport.call("POST", `/v1/drivers/${segment(driverId)}/sos`, { body, options });
  }

  /** Create a driver. */
  create(body: types.DriverIn, options?: Options): Promise<types.DriverOut> {
    return this.#transport.call("POST", "/v1/drivers", { body, options });
  }

  /** Report up to 1,000 positions of a driver. */
  createPositions(
    driverId: string,
    body: types.PositionBatchIn,
    options?: Options,
  ): Promise<types.PositionsOut> {
    return this.#transport.call(
      "POST",
      `/v1/drivers/${segment(driverId)}/positions`,
      { body, options },
    );
  }

  /** Delete a driver. */
  delete(driverId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/drivers/${segment(driverId)}`, { options });
  }

  /** End one of your sessions. */
  deleteSession(sessionId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call(
      "DELETE",
      `/v1/drivers/sessions/${segment(sessionId)}`,
      { options },
    );
  }

  /** Retrieve a driver. */
  get(driverId: string, options?: Options): Promise<types.DriverOut> {
    return this.#transport.call("GET", `/v1/drivers/${segment(driverId)}`, { options });
  }

  /** Retrieve the cash that a driver has collected and not handed in. */
  getCash(driverId: string, options?: Options): Promise<types.DriverCashOut> {
    return this.#transport.call("GET", `/v1/drivers/${segment(driverId)}/cash`, { options });
  }

  /** List the remaining stops of a driver's open orders, in sequence, with ETAs. */
  getStops(driverId: string, options?: Options): Promise<types.DriverStopsOut> {
    return this.#transport.call("GET", `/v1/drivers/${segment(driverId)}/stops`, { options });
  }

  /** Hand in the cash that a driver has collected in one currency, and record the count. */
  handInCash(driverId: string, body: types.HandInIn, options?: Options): Promise<types.HandInOut> {
    return this.#transport.call(
      "POST",
      `/v1/drivers/${segment(driverId)}/cash/hand-in`,
      { body, options },
    );
  }

  /** List the company's drivers, or those near a point. */
  list(query: DriversListQuery = {}, options?: Options): Pages<types.DriverOut> {
    return this.#transport.list("/v1/drivers", query, options);
  }

  /** List what a driver has recorded today, in the company's time zone, latest first. */
  listHistory(driverId: string, options?: Options): Promise<Array<types.DriverActivityOut>> {
    return this.#transport.call("GET", `/v1/drivers/${segment(driverId)}/history`, { options });
  }

  /** List a driver's positions, latest first. */
  listPositions(
    driverId: string,
    query: DriversListPositionsQuery = {},
    options?: Options,
  ): Pages<types.PositionOut> {
    return this.#transport.list(`/v1/drivers/${segment(driverId)}/positions`, query, options);
  }

  /** List your sessions, newest first. */
  listSessions(options?: Options): Promise<Array<types.SessionOut>> {
    return this.#transport.call("GET", "/v1/drivers/sessions", { options });
  }

  /** Send a sign-in code to a driver. */
  loginWithSms(body: types.DriverLoginIn, options?: Options): Promise<types.DriverCodeSent> {
    return this.#transport.call("POST", "/v1/drivers/login-with-sms", { body, options });
  }

  /** End the session that the request uses. */
  logout(options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call("POST", "/v1/drivers/logout", { options });
  }

  /** End all your sessions, including this one. */
  logoutAll(options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call("POST", "/v1/drivers/logout-all", { options });
  }

  /** Set a driver online or offline. */
  toggleOnline(
    driverId: string,
    body: types.ToggleIn = {},
    options?: Options,
  ): Promise<types.DriverOut> {
    return this.#transport.call(
      "POST",
      `/v1/drivers/${segment(driverId)}/toggle-online`,
      { body, options },
    );
  }

  /** Report a driver's position, also for the vehicle. */
  track(driverId: string, body: types.TrackIn = {}, options?: Options): Promise<types.DriverOut> {
    return this.#transport.call(
      "POST",
      `/v1/drivers/${segment(driverId)}/track`,
      { body, options },
    );
  }

  /** Update a driver. */
  update(
    driverId: string,
    body: types.DriverChange = {},
    options?: Options,
  ): Promise<types.DriverOut> {
    return this.#transport.call("PATCH", `/v1/drivers/${segment(driverId)}`, { body, options });
  }

  /** Exchange a code for a driver token. */
  verifyCode(body: types.DriverCodeIn, options?: Options): Promise<types.DriverSignedIn> {
    return this.#transport.call("POST", "/v1/drivers/verify-code", { body, options });
  }
}
