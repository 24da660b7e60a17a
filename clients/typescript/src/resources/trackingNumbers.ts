// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface TrackingNumbersListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order?: string | undefined;
  /** Filter by type. */
  type?: types.ProofSubjectType | undefined;
  /** Tracking number. */
  tracking?: string | undefined;
  /** Deprecated: use `tracking`. */
  tracking_number?: string | undefined;
}

export class TrackingNumbers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Render a tracking number's barcode (Code 128) as PNG. */
  downloadBarcodePng(numberId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(
      `/v1/tracking-numbers/${segment(numberId)}/barcode.png`,
      { options },
    );
  }

  /** Render a tracking number's barcode (Code 128) as SVG. */
  downloadBarcodeSvg(numberId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(
      `/v1/tracking-numbers/${segment(numberId)}/barcode.svg`,
      { options },
    );
  }

  /** Render a tracking number's QR code as PNG. */
  downloadQrPng(numberId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(
      `/v1/tracking-numbers/${segment(numberId)}/qr.png`,
      { options },
    );
  }

  /** Render a tracking number's QR code as SVG. */
  downloadQrSvg(numberId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(
      `/v1/tracking-numbers/${segment(numberId)}/qr.svg`,
      { options },
    );
  }

  /** Find the tracking number of a scanned label. */
  findByQr(body: types.ScannedIn, options?: Options): Promise<types.NumberDetailsOut> {
    return this.#transport.call("POST", "/v1/tracking-numbers/from-qr", { body, options });
  }

  /** Retrieve a tracking number by number or id, with its history and label. */
  get(numberId: string, options?: Options): Promise<types.NumberDetailsOut> {
    return this.#transport.call("GET", `/v1/tracking-numbers/${segment(numberId)}`, { options });
  }

  /** List tracking numbers. */
  list(query: TrackingNumbersListQuery = {}, options?: Options): Pages<types.NumberOut> {
    return this.#transport.list("/v1/tracking-numbers", query, options);
  }
}
