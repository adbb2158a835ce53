// Keyset pagination: how many rows, and after which position.

export interface Page {
  limit: number;
  /** Only rows after this position, mostly an identifier, in the order of the list; absent on the first page. */
  after?: bigint | undefined;
}
