// Keyset pagination: how many rows, and after which identifier.

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;

export interface Page {
  limit: number;
  /** Only rows with a greater identifier; absent on the first page. */
  after?: bigint | undefined;
}
