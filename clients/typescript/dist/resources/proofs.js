import { segment } from "../requests.js";
export class Proofs {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Download proofs and images of several orders as a ZIP file. */
    downloadZip(query, options) {
        return this.#transport.download("/v1/proofs.zip", { query, options });
    }
    /** Retrieve a proof, with a fresh link to its image. */
    get(proofId, options) {
        return this.#transport.call("GET", `/v1/proofs/${segment(proofId)}`, { options });
    }
    /** List proofs, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/v1/proofs", query, options);
    }
    /** Verify that a proof, its image and its order's chain are unchanged. */
    verify(proofId, options) {
        return this.#transport.call("GET", `/v1/proofs/${segment(proofId)}/verify`, { options });
    }
}
