// How much lists return. Apart from the stores, because the console bundles this file.

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
/** In the parameter `ids` of listings. */
export const LISTED_IDS_MAX = 100;
/** In the parameter `shelterId` of listings. */
export const LISTED_SHELTERS_MAX = 20;
/** Counting orders stops here, so that it costs the same in a store with a million past orders. */
export const ORDER_COUNT_MAX = 1_000;
/** Counting listings stops here, so that it costs the same in a store with a million animals. */
export const LISTING_COUNT_MAX = 10_000;
