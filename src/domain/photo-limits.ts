// Limits of photos, apart from photo.ts because messages of errors quote them.

export const PHOTOS_PER_PET_MAX = 12;
export const ALT_MAX = 200;
/** How long an image stays after its last photo was deleted: pages in caches may still show it. */
export const IMAGE_KEPT_DAYS = 30;
export const IMAGE_KEPT_MS = IMAGE_KEPT_DAYS * 86_400_000;
