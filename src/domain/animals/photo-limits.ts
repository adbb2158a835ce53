// Limits of photos. Apart from photo.ts, because the console bundles this file.

import { DAY_MS } from "../basics/durations.ts";

export const ALT_MAX = 200;
/** The declared types of uploads. */
export const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp"] as const;
export const IMAGE_BYTES_MAX = 12 * 1024 * 1024;
export const IMAGE_PIXELS_MAX = 50_000_000;
/**
 * Decoded bytes that may be in memory at a time: pixels × bytes per pixel, for files that cannot be decoded row by row
 * (interlaced PNG, progressive JPEG). Every image with 8 bits per channel stays below it, except progressive JPEG in CMYK.
 */
export const IMAGE_MEMORY_MAX = 320_000_000;
/** How long an image stays after its last photo was deleted: pages in caches may still show it. */
export const IMAGE_KEPT_DAYS = 30;
export const IMAGE_KEPT_MS = IMAGE_KEPT_DAYS * DAY_MS;
/** Requests of one client address on one node for photos and the files of public pages: a page of thumbnails needs dozens. */
export const FILE_READS_PER_MINUTE = 1_200;
