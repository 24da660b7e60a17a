import { ProblemError } from "./problem.js";
/** There is no address near this point. */
export declare class AddressNotFound extends ProblemError {
}
/** Another driver has taken this order. */
export declare class AlreadyTaken extends ProblemError {
}
/** The company has no app key. */
export declare class AppKeyMissing extends ProblemError {
}
/** The device was attached to another vehicle at that time. */
export declare class AttachmentOverlaps extends ProblemError {
}
/** The request body is too large. */
export declare class BodyTooLarge extends ProblemError {
}
/** The request body could not be read. */
export declare class BodyUnreadable extends ProblemError {
}
/** The cash was already collected. */
export declare class CashAlreadyCollected extends ProblemError {
}
/** The cash balance has changed. */
export declare class CashBalanceChanged extends ProblemError {
}
/** The cash of this stop was collected. */
export declare class CashCollected extends ProblemError {
}
/** This channel has no provider. */
export declare class ChannelNotConfigured extends ProblemError {
}
/** This server's clock is wrong. */
export declare class ClockWrong extends ProblemError {
}
/** The code has expired. */
export declare class CodeExpired extends ProblemError {
}
/** The code does not match. */
export declare class CodeMismatch extends ProblemError {
}
/** No code could be read from the image. */
export declare class CodeUnreadable extends ProblemError {
}
/** Another collection has this UUID. */
export declare class CollectionConflict extends ProblemError {
}
/** This company already has orders or webhooks. */
export declare class CompanyInUse extends ProblemError {
}
/** The request conflicts with the current state. */
export declare class Conflict extends ProblemError {
}
/** SMS codes to this country are not allowed. */
export declare class CountryNotAllowed extends ProblemError {
}
/** The CSRF token is missing or belongs to another session. */
export declare class CsrfFailed extends ProblemError {
}
/** The cursor does not belong to this list. */
export declare class CursorInvalid extends ProblemError {
}
/** An account already uses this phone number or email address. */
export declare class CustomerExists extends ProblemError {
}
/** The customer has open orders. */
export declare class CustomerHasOpenOrders extends ProblemError {
}
/** The account is not closed, or erasure has begun. */
export declare class CustomerNotClosed extends ProblemError {
}
/** The customer token is missing or not valid. */
export declare class CustomerTokenInvalid extends ProblemError {
}
/** The database is unavailable. */
export declare class DatabaseUnavailable extends ProblemError {
}
/** A delivery attempt is in progress. */
export declare class DeliveryInFlight extends ProblemError {
}
/** This device's vehicle is managed elsewhere. */
export declare class DeviceFixed extends ProblemError {
}
/** A device's kind cannot be changed. */
export declare class DeviceKindFixed extends ProblemError {
}
/** The device was deleted during the request. */
export declare class DeviceLeft extends ProblemError {
}
/** The device is not attached to a vehicle. */
export declare class DeviceNotAttached extends ProblemError {
}
/** Device events arrive faster than they can be stored. */
export declare class DevicesBusy extends ProblemError {
}
/** Device ingestion is unavailable. */
export declare class DevicesStreamUnavailable extends ProblemError {
}
/** Too many documents are being created. */
export declare class DocumentsBusy extends ProblemError {
}
/** The driver already has a phone. */
export declare class DriverHasPhone extends ProblemError {
}
/** The driver is not active. */
export declare class DriverInactive extends ProblemError {
}
/** The driver is not on duty. */
export declare class DriverOffline extends ProblemError {
}
/** The order has no driver. */
export declare class DriverRequired extends ProblemError {
}
/** The driver's position is unknown. */
export declare class DriverUnlocated extends ProblemError {
}
/** Another operator has this email address. */
export declare class EmailTaken extends ProblemError {
}
/** The file is empty. */
export declare class FileEmpty extends ProblemError {
}
/** This file is in use and cannot be deleted. */
export declare class FileHeld extends ProblemError {
}
/** The file is too large. */
export declare class FileTooLarge extends ProblemError {
}
/** A fleet cannot contain itself. */
export declare class FleetCircle extends ProblemError {
}
/** This credential is not allowed to do that. */
export declare class Forbidden extends ProblemError {
}
/** This action requires a recent sign-in. */
export declare class FreshSignInRequired extends ProblemError {
}
/** No geocoder is configured. */
export declare class GeocoderNotConfigured extends ProblemError {
}
/** The geocoder is unavailable. */
export declare class GeocoderUnavailable extends ProblemError {
}
/** The request's headers are too large. */
export declare class HeadTooLarge extends ProblemError {
}
/** A request with this `Idempotency-Key` is in progress. */
export declare class IdempotencyInProgress extends ProblemError {
}
/** This `Idempotency-Key` was used for a different request. */
export declare class IdempotencyKeyReused extends ProblemError {
}
/** Another device has this identifier. */
export declare class IdentifierTaken extends ProblemError {
}
/** The order's status does not allow this. */
export declare class IllegalMove extends ProblemError {
}
/** The image is too large. */
export declare class ImageTooLarge extends ProblemError {
}
/** The image took too long to process. */
export declare class ImageTooSlow extends ProblemError {
}
/** The image cannot be read. */
export declare class ImageUnreadable extends ProblemError {
}
/** The file is not a supported image. */
export declare class ImageUnsupported extends ProblemError {
}
/** The file of this import was deleted. */
export declare class ImportFileGone extends ProblemError {
}
/** The file cannot be read. */
export declare class ImportFileUnreadable extends ProblemError {
}
/** The state of the import does not allow this. */
export declare class ImportState extends ProblemError {
}
/** Something went wrong on our side. */
export declare class Internal extends ProblemError {
}
/** The code is wrong or no longer valid. */
export declare class InvalidCode extends ProblemError {
}
/** The phone number, email address or password is wrong. */
export declare class InvalidCredentials extends ProblemError {
}
/** The invoice is credited already. */
export declare class InvoiceCredited extends ProblemError {
}
/** The invoice is a draft. */
export declare class InvoiceIsDraft extends ProblemError {
}
/** The invoice is issued and cannot be changed. */
export declare class InvoiceIssued extends ProblemError {
}
/** Only an issued invoice can be credited. */
export declare class InvoiceNotCreditable extends ProblemError {
}
/** Only an issued invoice can be paid. */
export declare class InvoiceNotPayable extends ProblemError {
}
/** The draft no longer matches its transactions. */
export declare class InvoiceOutdated extends ProblemError {
}
/** The invoice is paid. */
export declare class InvoicePaid extends ProblemError {
}
/** The issue is already open. */
export declare class IssueOpen extends ProblemError {
}
/** The issue is already resolved. */
export declare class IssueResolved extends ProblemError {
}
/** This server uses an outdated secret. */
export declare class KeyReplaced extends ProblemError {
}
/** This key is revoked. */
export declare class KeyRevoked extends ProblemError {
}
/** This is the last admin. */
export declare class LastAdmin extends ProblemError {
}
/** This provider is the customer's only sign-in method. */
export declare class LastWayIn extends ProblemError {
}
/** This is the payload's only stop. */
export declare class LastWaypoint extends ProblemError {
}
/** This link has expired. */
export declare class LinkExpired extends ProblemError {
}
/** This link is not valid. */
export declare class LinkInvalid extends ProblemError {
}
/** The email address or password is wrong. */
export declare class LoginFailed extends ProblemError {
}
/** Another message has this UUID. */
export declare class MessageConflict extends ProblemError {
}
/** This path does not support that method. */
export declare class MethodNotAllowed extends ProblemError {
}
/** Another code needs a reason and a photo. */
export declare class MismatchUnexplained extends ProblemError {
}
/** There is no cash to collect. */
export declare class NoCashDue extends ProblemError {
}
/** The account has no verified phone number or email address. */
export declare class NoVerifiedIdentity extends ProblemError {
}
/** The rule does not match this day. */
export declare class NotARecurringDay extends ProblemError {
}
/** This tracking number requires its tracking link. */
export declare class NotFollowed extends ProblemError {
}
/** The resource was not found. */
export declare class NotFound extends ProblemError {
}
/** The driver has no cash in this currency. */
export declare class NothingToHandIn extends ProblemError {
}
/** There is nothing to invoice. */
export declare class NothingToInvoice extends ProblemError {
}
/** Nothing is left to refund. */
export declare class NothingToRefund extends ProblemError {
}
/** There is no cash to remit to this customer. */
export declare class NothingToRemit extends ProblemError {
}
/** SMS codes to this type of number are not allowed. */
export declare class NumberNotAllowed extends ProblemError {
}
/** The order has changed during the request. */
export declare class OrderChanged extends ProblemError {
}
/** The order is closed. */
export declare class OrderClosed extends ProblemError {
}
/** Another order configuration has this key. */
export declare class OrderConfigKeyTaken extends ProblemError {
}
/** The default order configuration cannot be deleted. */
export declare class OrderConfigNeeded extends ProblemError {
}
/** The order is charged in another currency. */
export declare class OrderCurrencyDiffers extends ProblemError {
}
/** The order is on an issued invoice. */
export declare class OrderInvoiced extends ProblemError {
}
/** The order is not canceled. */
export declare class OrderNotCanceled extends ProblemError {
}
/** The goods of this order were returned. */
export declare class OrderReturned extends ProblemError {
}
/** This store does not accept orders from customers. */
export declare class OrderingOff extends ProblemError {
}
/** The database connection was lost while saving. */
export declare class OutcomeUnknown extends ProblemError {
}
/** The server is overloaded. */
export declare class Overloaded extends ProblemError {
}
/** The payload's order is in progress. */
export declare class PayloadBegun extends ProblemError {
}
/** The payload's order is closed. */
export declare class PayloadClosed extends ProblemError {
}
/** The payload belongs to an order. */
export declare class PayloadOrdered extends ProblemError {
}
/** The payload belongs to another order. */
export declare class PayloadTaken extends ProblemError {
}
/** The gateway no longer has this customer. */
export declare class PaymentAccountGone extends ProblemError {
}
/** A test gateway cannot serve a live company. */
export declare class PaymentGatewayIsTest extends ProblemError {
}
/** The payment gateway rejects this installation's keys. */
export declare class PaymentGatewayMisconfigured extends ProblemError {
}
/** No payment gateway is configured. */
export declare class PaymentGatewayNotConfigured extends ProblemError {
}
/** The payment gateway rejected the request. */
export declare class PaymentGatewayRefused extends ProblemError {
}
/** The payment gateway is unavailable. */
export declare class PaymentGatewayUnavailable extends ProblemError {
}
/** The gateway's signature is missing, wrong or expired. */
export declare class PaymentNoticeRefused extends ProblemError {
}
/** The card was declined. */
export declare class PaymentRefused extends ProblemError {
}
/** The order is not paid. */
export declare class PaymentRequired extends ProblemError {
}
/** Another driver has this phone number. */
export declare class PhoneTaken extends ProblemError {
}
/** A ping cannot be replayed. */
export declare class PingNotReplayable extends ProblemError {
}
/** The plan is finished. */
export declare class PlanFinished extends ProblemError {
}
/** The plan is not accepted. */
export declare class PlanNotAccepted extends ProblemError {
}
/** The plan is not ready. */
export declare class PlanNotDone extends ProblemError {
}
/** The plan is too old to be edited. */
export declare class PlanNotEditable extends ProblemError {
}
/** The plan is outdated. */
export declare class PlanOutdated extends ProblemError {
}
/** The code is wrong or no longer valid. */
export declare class PodCodeIncorrect extends ProblemError {
}
/** Too many wrong codes. */
export declare class PodCodeLocked extends ProblemError {
}
/** There is no phone number to send a code to. */
export declare class PodRecipientPhoneMissing extends ProblemError {
}
/** A proof of delivery is required. */
export declare class PodRequired extends ProblemError {
}
/** The resource has changed since you read it. */
export declare class PreconditionFailed extends ProblemError {
}
/** The order's price was accepted. */
export declare class PriceFixed extends ProblemError {
}
/** The order has no price. */
export declare class PriceRequired extends ProblemError {
}
/** Too many quotes are being priced. */
export declare class PricingBusy extends ProblemError {
}
/** This `proof_uuid` belongs to a different proof. */
export declare class ProofConflict extends ProblemError {
}
/** This sign-in provider is not enabled for the store. */
export declare class ProviderNotEnabled extends ProblemError {
}
/** The provider's token was rejected. */
export declare class ProviderProofInvalid extends ProblemError {
}
/** The provider's token has already been used. */
export declare class ProviderProofReplayed extends ProblemError {
}
/** The provider's token is missing. */
export declare class ProviderProofRequired extends ProblemError {
}
/** Another customer uses this provider account. */
export declare class ProviderTaken extends ProblemError {
}
/** The provider cannot be reached. */
export declare class ProviderUnavailable extends ProblemError {
}
/** This order already has an accepted quote. */
export declare class QuoteAlreadyAccepted extends ProblemError {
}
/** The quote has expired. */
export declare class QuoteExpired extends ProblemError {
}
/** The price of this quote is an estimate. */
export declare class QuoteNotFirm extends ProblemError {
}
/** The order has changed since this quote. */
export declare class QuoteReplaced extends ProblemError {
}
/** The quote is for a different shipment. */
export declare class QuoteStale extends ProblemError {
}
/** The range lies beyond the end of the file. */
export declare class RangeNotSatisfiable extends ProblemError {
}
/** Too many files are being read at once. */
export declare class ReadersBusy extends ProblemError {
}
/** No event could be stored. */
export declare class ReadingRefused extends ProblemError {
}
/** This day already has an order. */
export declare class RecurringDayDecided extends ProblemError {
}
/** This day has passed. */
export declare class RecurringDayPassed extends ProblemError {
}
/** This recurring order has ended. */
export declare class RecurringOrderEnded extends ProblemError {
}
/** The request could not be read. */
export declare class RequestMalformed extends ProblemError {
}
/** The request arrived too slowly. */
export declare class RequestTimeout extends ProblemError {
}
/** The sample data was already added. */
export declare class SampleDataExists extends ProblemError {
}
/** You already have a view with this name. */
export declare class SavedViewExists extends ProblemError {
}
/** The search matches too many records. */
export declare class SearchTooBroad extends ProblemError {
}
/** The service area has zones. */
export declare class ServiceAreaHasZones extends ProblemError {
}
/** A company can have at most 20,000 rates. */
export declare class ServiceRateLimit extends ProblemError {
}
/** This sign-in was not verified. */
export declare class SignInUnproved extends ProblemError {
}
/** The signature is blank. */
export declare class SignatureBlank extends ProblemError {
}
/** The daily limit for SMS codes has been reached. */
export declare class SmsCapReached extends ProblemError {
}
/** SMS codes to this country are paused. */
export declare class SmsPaused extends ProblemError {
}
/** This status was recorded by the order's flow. */
export declare class StatusKept extends ProblemError {
}
/** File storage is unavailable. */
export declare class StorageUnavailable extends ProblemError {
}
/** The document cannot have a structured form. */
export declare class StructuredInvoiceIncomplete extends ProblemError {
}
/** A recurring order uses this template. */
export declare class TemplateInUse extends ProblemError {
}
/** Too many connections from one IP address. */
export declare class TooManyConnections extends ProblemError {
}
/** There are too many entries. */
export declare class TooManyEntries extends ProblemError {
}
/** A request can contain at most 5,000 device events. */
export declare class TooManyEvents extends ProblemError {
}
/** A company can have at most 20 unfinished imports. */
export declare class TooManyImports extends ProblemError {
}
/** The invoice would have too many lines. */
export declare class TooManyLines extends ProblemError {
}
/** An issue can have at most 20 photos. */
export declare class TooManyPhotos extends ProblemError {
}
/** A company can have at most 20 unfinished plans. */
export declare class TooManyPlans extends ProblemError {
}
/** An order, stop or item accepts at most 50 proofs. */
export declare class TooManyProofs extends ProblemError {
}
/** Too many requests. */
export declare class TooManyRequests extends ProblemError {
}
/** You already have 50 views. */
export declare class TooManySavedViews extends ProblemError {
}
/** Too many streams and exports are open. */
export declare class TooManyStreams extends ProblemError {
}
/** The transaction is paid. */
export declare class TransactionPaid extends ProblemError {
}
/** The transaction is voided. */
export declare class TransactionVoided extends ProblemError {
}
/** A valid credential is required. */
export declare class Unauthenticated extends ProblemError {
}
/** The service is temporarily unavailable. */
export declare class Unavailable extends ProblemError {
}
/** The body has unknown fields. */
export declare class UnknownField extends ProblemError {
}
/** The query has unknown parameters. */
export declare class UnknownParameter extends ProblemError {
}
/** A filter has an unknown value. */
export declare class UnknownValue extends ProblemError {
}
/** The content type is not supported. */
export declare class UnsupportedMediaType extends ProblemError {
}
/** Some fields are missing or invalid. */
export declare class ValidationFailed extends ProblemError {
}
/** The vehicle is assigned to another driver. */
export declare class VehicleTaken extends ProblemError {
}
/** The email address must be verified first. */
export declare class VerificationRequired extends ProblemError {
}
/** Work at this stop has begun. */
export declare class WaypointBegun extends ProblemError {
}
/** The delivery's webhook was deleted. */
export declare class WebhookDeleted extends ProblemError {
}
/** A company can have at most 100 webhooks. */
export declare class WebhookLimit extends ProblemError {
}
/** The delivery's webhook is not enabled. */
export declare class WebhookNotEnabled extends ProblemError {
}
/** The classes by code. */
export declare const BY_CODE: Map<string, typeof ProblemError>;
