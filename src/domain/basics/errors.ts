// The only table of errors: code, status and message. A throw site may give a more exact message, but no other status.

import { PHOTOS_PER_PET_MAX, WEBHOOKS_MAX, WEBHOOKS_PER_KEY_MAX } from "./count-limits.ts";
import { GET_PET_SUNSET_DAY } from "./deprecation.ts";
import {
  BODY_BYTES_MAX,
  HEADER_BYTES_MAX,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  PROFILE_BYTES_MAX,
  STREAMS_PER_KEY,
} from "./request-limits.ts";

export const ERRORS = {
  bad_request: { status: 400, message: "The request is not valid HTTP." },
  invalid_json: { status: 400, message: "The body must be a JSON value in UTF-8." },
  invalid_body: { status: 400, message: "The body has missing or invalid members." },
  invalid_parameter: { status: 400, message: "A query parameter is invalid." },
  invalid_cursor: {
    status: 400,
    message:
      "The cursor does not belong to this list and filter. Use the address of the Link header unchanged.",
  },
  invalid_idempotency_key: {
    status: 400,
    message: `Idempotency-Key must be 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters.`,
  },
  invalid_image: { status: 400, message: "The body is not a JPEG, PNG or WebP image." },
  invalid_file: { status: 400, message: "The body is not a CSV or NDJSON file that can be read." },
  url_not_allowed: { status: 400, message: "Webhooks may not be sent to this URL." },
  missing_api_key: {
    status: 401,
    message: "An API key is required. Send it as: Authorization: Bearer <API_KEY>.",
  },
  invalid_api_key: { status: 401, message: "The API key is not valid." },
  insufficient_access: {
    status: 403,
    message: "The access level of the API key is too low for this operation.",
  },
  other_shelter: {
    status: 403,
    message: "The API key belongs to a shelter, and may change only the animals of this shelter.",
  },
  origin_not_allowed: {
    status: 403,
    message: "The publishable key is not for web pages of this origin.",
  },
  pet_not_found: { status: 404, message: "No animal has this identifier." },
  order_not_found: { status: 404, message: "No order has this identifier." },
  category_not_found: { status: 404, message: "No category has this identifier." },
  shelter_not_found: { status: 404, message: "No shelter has this identifier." },
  key_not_found: { status: 404, message: "No API key has this identifier, or it was revoked." },
  person_not_found: {
    status: 404,
    message: "No person has this identifier, or their access has ended.",
  },
  invitation_not_found: {
    status: 404,
    message: "No open invitation has this code or identifier. Ask for a new link.",
  },
  photo_not_found: { status: 404, message: "No photo has this identifier or name." },
  webhook_not_found: { status: 404, message: "No webhook has this identifier." },
  delivery_not_found: { status: 404, message: "No delivery of this webhook has this identifier." },
  route_not_found: { status: 404, message: "No operation has this path. /docs lists all operations." },
  method_not_allowed: {
    status: 405,
    message: "This path does not support this method. The Allow header lists the supported methods.",
  },
  request_timeout: { status: 408, message: "The request did not arrive in time. Send it again." },
  invalid_transition: { status: 409, message: "The current status does not allow this transition." },
  pet_not_available: {
    status: 409,
    message: "The animal is not available: only available animals can be ordered.",
  },
  pet_has_open_order: { status: 409, message: "The animal has an open order: deliver or cancel it first." },
  shelter_in_use: {
    status: 409,
    message: "The shelter has animals, people or API keys, or is the first one. Move them first.",
  },
  external_id_taken: { status: 409, message: "Another animal has this externalId." },
  idempotency_in_progress: { status: 409, message: "A request with this Idempotency-Key is still running." },
  too_many_photos: {
    status: 409,
    message: `An animal may have ${PHOTOS_PER_PET_MAX} photos. Delete one first.`,
  },
  too_many_webhooks: {
    status: 409,
    message: `A key may have ${WEBHOOKS_PER_KEY_MAX} webhooks, and the store ${WEBHOOKS_MAX}. Delete one first.`,
  },
  file_has_bad_rows: {
    status: 409,
    message:
      "Nothing was imported or exported: the file has bad rows. A dry run of an import lists them. The setting skipBad imports the other rows, and skip=true exports the others.",
  },
  feed_reset: {
    status: 410,
    message:
      "The events after this cursor are not available: it is older than the events that are kept, or the store was restored or copied. Read the lists again, and continue from there: GET /events?after=now gives a new cursor, which to request before the lists.",
  },
  operation_removed: {
    status: 410,
    message: `This operation was removed on ${GET_PET_SUNSET_DAY}. Use GET /pets with a status filter, or GET /listings/{petId} for one animal.`,
  },
  precondition_failed: {
    status: 412,
    message: "Nothing was changed: If-Match does not have the current ETag. Read the resource again first.",
  },
  body_too_large: {
    status: 413,
    message: `The body is larger than ${BODY_BYTES_MAX / 1024} KiB (a profile: ${PROFILE_BYTES_MAX / 1024} KiB).`,
  },
  unsupported_media_type: {
    status: 415,
    message:
      "The body must be JSON in UTF-8, without Content-Encoding. Send the header Content-Type: application/json.",
  },
  idempotency_key_reused: {
    status: 422,
    message: "This Idempotency-Key was used with another body. Use a new key for a new request.",
  },
  rate_limit_exceeded: {
    status: 429,
    message: "The limit per minute is used up. Wait for the time given in Retry-After.",
  },
  daily_limit_exceeded: {
    status: 429,
    message: "The limit per day is used up. Wait for the time given in Retry-After.",
  },
  key_banned: {
    status: 429,
    message:
      "The API key is banned temporarily: it sent too many requests after a refusal. Wait for the time given in Retry-After.",
  },
  too_many_streams: {
    status: 429,
    message: `The API key has ${STREAMS_PER_KEY} open streams and waiting requests on this node, which is the limit. Close one, or use one stream for several purposes.`,
  },
  headers_too_large: {
    status: 431,
    message: `The header block is larger than ${HEADER_BYTES_MAX / 1024} KiB.`,
  },
  internal_error: {
    status: 500,
    message: "The service failed. Its log has the cause under this X-Request-Id.",
  },
  unavailable: {
    status: 503,
    message: "The service cannot handle this request right now. Retry after a short wait.",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** Sent as Retry-After if given. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    options: { message?: string; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The body of every response that is neither 2xx nor 304. */
  get body() {
    return { code: this.code, message: this.message, status: ERRORS[this.code].status };
  }
}
