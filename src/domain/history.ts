// The record of every change of an animal or an order: what, from, to, when, by which key.

export const CHANGE_KINDS = [
  "pet.created",
  "pet.updated",
  "pet.deleted",
  "order.created",
  "order.updated",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Who makes a change, and when. Without a key it is the service itself, or a command of its operator. */
export interface Stamp {
  keyId?: bigint | undefined;
  atMs: number;
}

/** An animal has a name and a category, an order has a reference. */
export interface ChangedState {
  status: string;
  name?: string;
  categoryId?: bigint;
  reference?: string;
}

export interface Change {
  /** Rises by one with every change in the store; no change appears before one with a lower number. */
  number: bigint;
  what: ChangeKind;
  petId: bigint;
  orderId?: bigint | undefined;
  /** Absent for what was created. */
  from?: ChangedState | undefined;
  /** Absent for what was deleted. */
  to?: ChangedState | undefined;
  atMs: number;
  keyId?: bigint | undefined;
}

/** The change as clients see it; absent members left out. */
export function describeChange({ number, what, petId, orderId, from, to, atMs, keyId }: Change) {
  return {
    number,
    what,
    petId,
    at: new Date(atMs),
    ...(orderId !== undefined && { orderId }),
    ...(from && { from }),
    ...(to && { to }),
    ...(keyId !== undefined && { keyId }),
  };
}
