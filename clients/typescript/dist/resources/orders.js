import { segment } from "../requests.js";
export class Orders {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Assign a driver to an order, with the driver's vehicle or another one. */
    assignDriver(orderId, body, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/assign-driver`, { body, options });
    }
    /** Cancel an open order. */
    cancel(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/cancel`, { body, options });
    }
    /** Attach photos to an order, a stop or an item; without a subject, to the order. */
    capturePhoto(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/capture-photo`, { body, options });
    }
    /** Attach photos to an order, a stop or an item; without a subject, to the order. */
    capturePhotoForSubject(orderId, subjectId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/capture-photo/${segment(subjectId)}`, { body, options });
    }
    /** Attach a scanned code to an order, a stop or an item; without a subject, to the order. */
    captureQr(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/capture-qr`, { body, options });
    }
    /** Attach a scanned code to an order, a stop or an item; without a subject, to the order. */
    captureQrForSubject(orderId, subjectId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/capture-qr/${segment(subjectId)}`, { body, options });
    }
    /** Attach a signature to an order, a stop or an item; without a subject, to the order. */
    captureSignature(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/capture-signature`, { body, options });
    }
    /** Attach a signature to an order, a stop or an item; without a subject, to the order. */
    captureSignatureForSubject(orderId, subjectId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/capture-signature/${segment(subjectId)}`, { body, options });
    }
    /** Prove a delivery with the SMS code that the recipient gave to the driver. */
    captureSms(orderId, body, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/capture-sms`, { body, options });
    }
    /** Prove a delivery with the SMS code that the recipient gave to the driver. */
    captureSmsForSubject(orderId, subjectId, body, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/capture-sms/${segment(subjectId)}`, { body, options });
    }
    /** Record cash on delivery that a driver collected. */
    collectCash(orderId, body, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/collect-cash`, { body, options });
    }
    /** Complete an order when its final activity is next. */
    complete(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/complete`, { body, options });
    }
    /** Create an order. */
    create(body = {}, options) {
        return this.#transport.call("POST", "/v1/orders", { body, options });
    }
    /** Charge an order, or credit it with a negative amount. */
    createCharge(orderId, body, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/charges`, { body, options });
    }
    /** Delete an order. */
    delete(orderId, options) {
        return this.#transport.call("DELETE", `/v1/orders/${segment(orderId)}`, { options });
    }
    /** Dispatch an order to its driver. */
    dispatch(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/dispatch`, { body, options });
    }
    /** Render the proofs of an order as PDF, with at least one page for each stop. */
    downloadProofSheetPdf(orderId, options) {
        return this.#transport.download(`/v1/orders/${segment(orderId)}/proof-sheet.pdf`, { options });
    }
    /** List the proofs of an order as CSV. */
    downloadProofsCsv(orderId, options) {
        return this.#transport.download(`/v1/orders/${segment(orderId)}/proofs.csv`, { options });
    }
    /** Download an order's proofs and images as a ZIP file, for independent verification. */
    downloadProofsZip(orderId, options) {
        return this.#transport.download(`/v1/orders/${segment(orderId)}/proofs.zip`, { options });
    }
    /** Create an order like this one: the same route, items, customer, options and flow. */
    duplicate(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/duplicate`, { body, options });
    }
    /** Report a failed delivery attempt. */
    failAttempt(orderId, body, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/fail-attempt`, { body, options });
    }
    /** Find the drivers whose routes an order fits best. */
    findBestDrivers(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/best-drivers`, { body, options });
    }
    /** Retrieve an order. */
    get(orderId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}`, { options });
    }
    /** Show the account of an order: charges, payments and what is still owed. */
    getCharges(orderId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/charges`, { options });
    }
    /** Calculate the distance and duration of the current route. */
    getDistanceAndTime(orderId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/distance-and-time`, { options });
    }
    /** Retrieve the flow of an order and of its stops, with the proofs they need. */
    getFlow(orderId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/flow`, { options });
    }
    /** Retrieve the lines of an order's route along streets. */
    getRoute(orderId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/route`, { options });
    }
    /** Retrieve the position, progress and ETA of an order. */
    getTracker(orderId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/tracker`, { options });
    }
    /** List orders. */
    list(query = {}, options) {
        return this.#transport.list("/v1/orders", query, options);
    }
    /** List warnings about the assigned driver and vehicle, or about the given ones. */
    listAssignmentWarnings(orderId, query = {}, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/assignment-warnings`, { query, options });
    }
    /** List the failed attempts of an order, newest first. */
    listAttempts(orderId, query = {}, options) {
        return this.#transport.list(`/v1/orders/${segment(orderId)}/attempts`, query, options);
    }
    /** List drivers for an order, nearest first, with their work, vehicle, shifts and warnings. */
    listDriverCandidates(orderId, query = {}, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/driver-candidates`, { query, options });
    }
    /** List the open ad-hoc orders near the driver, nearest first. */
    listNearby(query = {}, options) {
        return this.#transport.call("GET", "/v1/orders/nearby", { query, options });
    }
    /** List the activities that may fire now, and the proofs they still need. */
    listNextActivities(orderId, query = {}, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/next-activity`, { query, options });
    }
    /** List the proofs of an order, a stop or an item, in the order they were received. */
    listProofs(orderId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/proofs`, { options });
    }
    /** List the proofs of an order, a stop or an item, in the order they were received. */
    listProofsForSubject(orderId, subjectId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/proofs/${segment(subjectId)}`, { options });
    }
    /** List the quotes of an order, newest first, including replaced ones. */
    listServiceQuotes(orderId, query = {}, options) {
        return this.#transport.list(`/v1/orders/${segment(orderId)}/service-quotes`, query, options);
    }
    /** Sort the stops of an order that has not started, to save time. */
    optimize(orderId, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/optimize`, { options });
    }
    /** Reprice an order and list its new quotes, cheapest first. */
    renewServiceQuotes(orderId, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/service-quotes`, { options });
    }
    /** Reopen a canceled order. */
    reopen(orderId, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/reopen`, { options });
    }
    /** Decide what happens after a failed delivery attempt. */
    resumeAttempt(orderId, body, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/resume-attempt`, { body, options });
    }
    /** Set the auto-dispatch time of an order. */
    schedule(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/schedule`, { body, options });
    }
    /** Send an SMS code to the stop's contact or the order's customer. */
    sendSmsCode(orderId, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/send-sms-code`, { options });
    }
    /** Send an SMS code to the stop's contact or the order's customer. */
    sendSmsCodeForSubject(orderId, subjectId, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/send-sms-code/${segment(subjectId)}`, { options });
    }
    /** Set the next stop, by waypoint or by place. */
    setDestination(orderId, stopId, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/set-destination/${segment(stopId)}`, { options });
    }
    /** Start an order. */
    start(orderId, body = {}, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/start`, { body, options });
    }
    /** Take an offered ad-hoc order. */
    take(orderId, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/take`, { options });
    }
    /** Unassign the driver of an order before it is dispatched. */
    unassignDriver(orderId, options) {
        return this.#transport.call("DELETE", `/v1/orders/${segment(orderId)}/assign-driver`, { options });
    }
    /** Update an order. */
    update(orderId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}`, { body, options });
    }
    /** Fire the next activity. */
    updateActivity(orderId, body, options) {
        return this.#transport.call("POST", `/v1/orders/${segment(orderId)}/update-activity`, { body, options });
    }
    /** Assign a driver to an order, with the driver's vehicle or another one. */
    updateAssignDriver(orderId, body, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/assign-driver`, { body, options });
    }
    /** Cancel an open order. */
    updateCancel(orderId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/cancel`, { body, options });
    }
    /** Complete an order when its final activity is next. */
    updateComplete(orderId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/complete`, { body, options });
    }
    /** Dispatch an order to its driver. */
    updateDispatch(orderId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/dispatch`, { body, options });
    }
    /** Report a failed delivery attempt. */
    updateFailAttempt(orderId, body, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/fail-attempt`, { body, options });
    }
    /** Decide what happens after a failed delivery attempt. */
    updateResumeAttempt(orderId, body, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/resume-attempt`, { body, options });
    }
    /** Set the auto-dispatch time of an order. */
    updateSchedule(orderId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/schedule`, { body, options });
    }
    /** Set the next stop, by waypoint or by place. */
    updateSetDestination(orderId, stopId, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/set-destination/${segment(stopId)}`, { options });
    }
    /** Start an order. */
    updateStart(orderId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/start`, { body, options });
    }
    /** Fire the next activity. */
    updateUpdateActivity(orderId, body, options) {
        return this.#transport.call("PATCH", `/v1/orders/${segment(orderId)}/update-activity`, { body, options });
    }
    /** Verify that the proofs of an order are complete and unchanged. */
    verifyProofs(orderId, options) {
        return this.#transport.call("GET", `/v1/orders/${segment(orderId)}/verify-proofs`, { options });
    }
}
