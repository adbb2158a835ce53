// The record of every change of an animal or an order: kind, states before and after, time, API key.

export const CHANGE_KINDS = [
  "pet.created",
  "pet.updated",
  "pet.deleted",
  "order.created",
  "order.updated",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Time and author of a change. Without a key, the service itself or an operator's command made it. */
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
  /** Increases by one with every change; no change becomes visible before one with a lower number. */
  number: bigint;
  what: ChangeKind;
  petId: bigint;
  orderId?: bigint | undefined;
  /** Absent if the animal or order was created. */
  from?: ChangedState | undefined;
  /** Absent if the animal was deleted. */
  to?: ChangedState | undefined;
  atMs: number;
  keyId?: bigint | undefined;
}

/** The change as clients see it, without undefined members. */
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
