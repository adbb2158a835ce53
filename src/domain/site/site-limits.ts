// Numbers of the public pages: how many animals, how long, how often.

import { DAY_MS } from "../basics/durations.ts";

/** On a page of the list, and on the page of a shelter. */
export const PAGE_ANIMALS = 24;
/** In a feed: the newest ones. */
export const FEED_ANIMALS = 50;
/** How long an adopted animal has a page that says so. */
export const GONE_MS = 90 * DAY_MS;
/** Requests of one client address on one node for pages, feeds, the sitemap and robots.txt. */
export const PAGE_READS_PER_MINUTE = 120;
