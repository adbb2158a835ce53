// Headers of the public pages, and of the errors that have a page.

import { CONTENT_SECURITY_POLICIES } from "../headers/content-security-policies.ts";

const SITE_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICIES.site,
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
