// The order, which reserves one animal: its fields, its moves, and what it needs from storage.

import type { Stamp } from "./history.ts";
import type { Page } from "./page.ts";
import type { PetTransition } from "./pet.ts";
import type { Transitions } from "./transition.ts";

export const ORDER_STATUSES = [
  "placed",
  "approved",
  "delivered",
  "returned",
  "cancelled",
  "expired",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** What a caller may ask for; a placed order that nobody approves expires by itself. */
export const ORDER_TRANSITIONS: Transitions<OrderStatus> = {
  placed: ["approved", "cancelled"],
  approved: ["delivered", "cancelled"],
  delivered: ["returned"],
  returned: [],
  cancelled: [],
  expired: [],
};

/** An animal has at most one order in these, and is pending while it has; the schema's index says so too. */
export const OPEN_STATUSES = ["placed", "approved"] as const satisfies OrderStatus[];

/** How an available animal moves when it is ordered. */
export const RESERVATION = { from: "available", to: "pending" } as const satisfies PetTransition;

/** How the animal moves when its order gets another status. */
export const PET_TRANSITION_WITH: Partial<Record<OrderStatus, PetTransition>> = {
  delivered: { from: "pending", to: "sold" },
  returned: { from: "sold", to: "available" },
  cancelled: { from: "pending", to: "available" },
  expired: { from: "pending", to: "available" },
};

export const REFERENCE_MAX = 255;
export const ORDER_HOLD_HOURS_DEFAULT = 72;

export interface Order {
  id: bigint;
  petId: bigint;
  status: OrderStatus;
  /** The caller's own text. */
  reference: string;
  createdAtMs: number;
  updatedAtMs: number;
  /** While placed: when the hold ends. */
  expiresAtMs?: number | undefined;
}

interface NewOrder {
  petId: bigint;
  reference?: string | undefined;
}

/** Where `ownerId` is given, orders of other keys do not exist. */
interface Ownership {
  ownerId?: bigint | undefined;
}

interface OrderFilter extends Ownership {
  status?: OrderStatus | undefined;
  petId?: bigint | undefined;
}

/** Order and animal change together, or not at all. */
export interface OrderStore {
  /** By id, rising, at most `page.limit`, starting after `page.after`. */
  list(filter: OrderFilter, page: Page): Promise<Order[]>;
  find(id: bigint, ownership: Ownership): Promise<Order | undefined>;
  /** The order belongs to the key of the stamp. Throws `pet_not_found`, `pet_not_available`. */
  create(order: NewOrder, stamp: Stamp & { keyId: bigint }): Promise<Order>;
  /** Undefined when there is no such order. Throws `invalid_transition`. */
  move(id: bigint, to: OrderStatus, stamp: Stamp, ownership: Ownership): Promise<Order | undefined>;
  /** Ends holds that were over by `nowMs`, a limited number at a time. Resolves to how many. */
  expire(nowMs: number): Promise<number>;
}

/** The order as clients see it: whose it is stays inside. */
export function describeOrder({ createdAtMs, updatedAtMs, expiresAtMs, ...order }: Order) {
  return {
    ...order,
    createdAt: new Date(createdAtMs),
    updatedAt: new Date(updatedAtMs),
    ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs) }),
  };
}
