// Everything acknowledged to the clients of a soak, which the store must hold at the end.

export interface Animal {
  id: number;
  /** Unique among all animals of the run; the name adds a version. */
  base: string;
  /** One, or several while the outcome of a change is unknown. */
  names: Set<string>;
  isDeleted: "yes" | "no" | "unknown";
}

interface Order {
  id: number;
  petId: number;
  statuses: Set<string>;
}

export interface Ledger {
  /** By id: everything whose creation was acknowledged. */
  animals: Map<number, Animal>;
  /** By animal: the acknowledged orders. An animal is ordered once, as no order is cancelled. */
  orders: Map<number, Order>;
  /** Animals that all clients want to order, the newest last. */
  wanted: number[];
  acknowledged: { creates: number; changes: number; deletes: number; orders: number; replays: number };
}

export function createLedger(): Ledger {
  return {
    animals: new Map(),
    orders: new Map(),
    wanted: [],
    acknowledged: { creates: 0, changes: 0, deletes: 0, orders: 0, replays: 0 },
  };
}

export const nameOf = (base: string, version: number): string => `${base}/${version}`;
export const baseOf = (name: string): string => name.split("/")[0] ?? "";
