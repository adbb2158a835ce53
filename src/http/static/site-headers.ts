// Headers of the public pages, and of the errors that have a page.

/** Allows images and styles of this host, and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const SITE_HEADERS = {
  "content-security-policy": POLICY,
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/** Sent with pages about an error. */
export const SITE_FAULT_HEADERS = { ...SITE_HEADERS, "cache-control": "no-store" };

/** Sent with pages that caches may keep. */
export const SITE_PAGE_HEADERS = {
  ...SITE_HEADERS,
  "cache-control": "public, max-age=60, stale-while-revalidate=60",
};
