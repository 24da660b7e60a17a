import { segment } from "../requests.js";
export class TrackingNumbers {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Render a tracking number's barcode (Code 128) as PNG. */
    downloadBarcodePng(numberId, options) {
        return this.#transport.download(`/v1/tracking-numbers/${segment(numberId)}/barcode.png`, { options });
    }
    /** Render a tracking number's barcode (Code 128) as SVG. */
    downloadBarcodeSvg(numberId, options) {
        return this.#transport.download(`/v1/tracking-numbers/${segment(numberId)}/barcode.svg`, { options });
    }
    /** Render a tracking number's QR code as PNG. */
    downloadQrPng(numberId, options) {
        return this.#transport.download(`/v1/tracking-numbers/${segment(numberId)}/qr.png`, { options });
    }
    /** Render a tracking number's QR code as SVG. */
    downloadQrSvg(numberId, options) {
        return this.#transport.download(`/v1/tracking-numbers/${segment(numberId)}/qr.svg`, { options });
    }
    /** Find the tracking number of a scanned label. */
    findByQr(body, options) {
        return this.#transport.call("POST", "/v1/tracking-numbers/from-qr", { body, options });
    }
    /** Retrieve a tracking number by number or id, with its history and label. */
    get(numberId, options) {
        return this.#transport.call("GET", `/v1/tracking-numbers/${segment(numberId)}`, { options });
    }
    /** List tracking numbers. */
    list(query = {}, options) {
        return this.#transport.list("/v1/tracking-numbers", query, options);
    }
}
