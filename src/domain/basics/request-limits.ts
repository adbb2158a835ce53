// Limits of a request: enforced by the HTTP layer, quoted in error messages.

export const BODY_BYTES_MAX = 16 * 1024;
export const HEADER_BYTES_MAX = 16 * 1024;
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
export const STREAMS_PER_KEY = 5;
/** A client that reads more slowly than events come is cut before more is pending for it. */
export const STREAM_PENDING_BYTES_MAX = 1024 * 1024;
