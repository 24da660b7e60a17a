// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `downloadZip`. */
export interface ProofsDownloadZipQuery {
  /** Ids of proofs, of any orders. */
  id: string | ReadonlyArray<string>;
}

/** Parameters of `list`. */
export interface ProofsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `received_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order?: string | undefined;
  /** Filter by the driver who captured it. */
  driver?: string | undefined;
  /** Filter by method. */
  method?: types.RecordedProofMethod | undefined;
  /** Filter by subject type. */
  subject_type?: types.ProofSubjectType | undefined;
  /** Received at or after this time. */
  since?: string | Date | undefined;
  /** Received before this time. */
  until?: string | Date | undefined;
}

export class Proofs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Download proofs and images of several orders as a ZIP file. */
  downloadZip(query: ProofsDownloadZipQuery, options?: Options): Promise<Uint8Array> {
    return this.#transport.download("/v1/proofs.zip", { query, options });
  }

  /** Retrieve a proof, with a fresh link to its image. */
  get(proofId: string, options?: Options): Promise<types.ProofOut> {
    return this.#transport.call("GET", `/v1/proofs/${segment(proofId)}`, { options });
  }

  /** List proofs, newest first. */
  list(query: ProofsListQuery = {}, options?: Options): Pages<types.ProofOut> {
    return this.#transport.list("/v1/proofs", query, options);
  }

  /** Verify that a proof, its image and its order's chain are unchanged. */
  verify(proofId: string, options?: Options): Promise<types.VerdictOut> {
    return this.#transport.call("GET", `/v1/proofs/${segment(proofId)}/verify`, { options });
  }
}
