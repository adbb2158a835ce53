// Limits of a request: enforced by the HTTP layer, quoted in error messages.

export const BODY_BYTES_MAX = 16 * 1024;
/** A description of 10,000 characters may take 40,000 bytes. */
export const PROFILE_BYTES_MAX = 64 * 1024;
/** The file of an import. */
export const IMPORT_BYTES_MAX = 32 * 1024 * 1024;
/** A file of this size could have 16 million rows, and would keep other imports waiting for minutes. */
export const IMPORT_ROWS_MAX = 500_000;
/** The settings of an import, before they are encoded for the URL. */
export const IMPORT_SETTINGS_BYTES_MAX = 4 * 1024;
export const HEADER_BYTES_MAX = 16 * 1024;
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
export const STREAMS_PER_KEY = 5;
/** How long a request may wait for an event. Below the 30 s after which proxies give up. */
export const EVENT_WAIT_SECONDS_MAX = 25;
/** A client that reads more slowly than events come is cut before more is pending for it. */
export const STREAM_PENDING_BYTES_MAX = 1024 * 1024;
