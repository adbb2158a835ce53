// The person whom a key belongs to, as keys, the history and the audit log name them.

/** With the current name, also in old records. */
export interface PersonName {
  id: bigint;
  name: string;
}
