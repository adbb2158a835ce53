// The order, which reserves one animal: its fields, its status transitions and its store.

import type { ChangeOrigin } from "../animals/history.ts";
import type { Pet, PetStatus, PetTransition } from "../animals/pet.ts";
import { normaliseText } from "../animals/search-text.ts";
import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
import type { Precondition } from "../basics/precondition.ts";
import type { Transitions } from "../basics/transition.ts";

export const ORDER_STATUSES = [
  "placed",
  "approved",
  "delivered",
  "returned",
  "cancelled",
  "expired",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Transitions that callers may request. Only the service changes placed → expired. */
export const ORDER_TRANSITIONS: Transitions<OrderStatus> = {
  placed: ["approved", "cancelled"],
  approved: ["delivered", "cancelled"],
  delivered: ["returned"],
  returned: [],
  cancelled: [],
  expired: [],
};

/** An animal has at most one order in these statuses, which a unique index enforces, and is pending as long. */
export const OPEN_STATUSES = ["placed", "approved"] as const satisfies OrderStatus[];

/** Status change of an animal that is ordered. */
export const RESERVATION = { from: "available", to: "pending" } as const satisfies PetTransition;

/** Status change of the animal when its order gets this status. */
export const PET_TRANSITION_WITH: Partial<Record<OrderStatus, PetTransition>> = {
  delivered: { from: "pending", to: "sold" },
  returned: { from: "sold", to: "available" },
  cancelled: { from: "pending", to: "available" },
  expired: { from: "pending", to: "available" },
};

export interface Order {
  id: bigint;
  petId: bigint;
  status: OrderStatus;
  /** Text of the caller. */
  reference: string;
  createdAtMs: number;
  updatedAtMs: number;
  /** Present while placed: the setting ORDER_HOLD_HOURS says for how long. */
  expiresAtMs?: number | undefined;
}

interface NewOrder {
  petId: bigint;
  reference?: string | undefined;
}

/** With `ownerId`, orders of other keys are not found; with `keyShelterId`, orders for animals that belong to another shelter now. */
export interface Ownership {
  ownerId?: bigint | undefined;
  keyShelterId?: bigint | undefined;
}

interface Expectation extends Ownership {
  precondition?: Precondition<Order> | undefined;
}

interface OrderFilter extends Ownership {
  status?: OrderStatus | undefined;
  petId?: bigint | undefined;
  /** Orders for animals that belong to this shelter now. */
  shelterId?: bigint | undefined;
  /** Normalised; each must occur in the reference or in the name of the animal. */
  words?: readonly string[] | undefined;
}

export const ORDER_SORTS = ["oldest", "newest", "ending"] as const;
export type OrderSort = (typeof ORDER_SORTS)[number];

interface OrderView {
  /**
   * `oldest`, the default, lists in ascending order of id, `newest` in descending order. `ending` lists placed orders only: the
   * first to expire comes first.
   */
  sort?: OrderSort | undefined;
  /** Adds `pet` to each order. */
  hasPets?: boolean;
}

export interface ListedOrder extends Order {
  /** The current state of the animal; undefined if it was deleted. */
  pet?: Pet | undefined;
}

/** Order and animal change in one transaction. */
export interface OrderStore {
  /** At most `page.limit`, starting after the order with `positionOf` = `page.after` in the order of the list. */
  list(filter: OrderFilter, page: Page, view?: OrderView): Promise<ListedOrder[]>;
  /** The number in each status, at most `ORDER_COUNT_MAX`. */
  count(ownership: Ownership): Promise<Record<OrderStatus, number>>;
  find(id: bigint, ownership: Ownership): Promise<Order | undefined>;
  /** The order belongs to the key of the origin. Throws `pet_not_found`, `other_shelter`, `pet_not_available`. */
  create(order: NewOrder, origin: ChangeOrigin & { keyId: bigint }): Promise<Order>;
  /** Undefined when there is no such order, or not for an animal of the key's shelter. Throws `precondition_failed`, `invalid_transition`. */
  move(
    id: bigint,
    to: OrderStatus,
    origin: ChangeOrigin,
    expectation: Expectation,
  ): Promise<Order | undefined>;
  /** Expires placed orders that are due at `nowMs`, a limited number per call. Resolves to the number expired. */
  expire(nowMs: number): Promise<number>;
}

/** Throws `pet_not_available` unless an animal in this status can be ordered. */
export function refuseUnavailable(status: PetStatus): void {
  if (status === RESERVATION.from) return;
  const message = `The animal is not available: it is ${status}. Only available animals can be ordered.`;
  throw new ServiceError("pet_not_available", { message });
}

/** The position in a list: the id or, in the order of expiry, the time and then the id. */
export function positionOf({ id, expiresAtMs = 0 }: Order, sort: OrderSort = "oldest"): bigint {
  return sort === "ending" ? (BigInt(expiresAtMs) << 64n) | id : id;
}

/** From a position in the order of expiry. */
export function splitPosition(position: bigint): { expiresAtMs: bigint; id: bigint } {
  return { expiresAtMs: position >> 64n, id: BigInt.asIntN(64, position) };
}

/** Whether every normalised word occurs in the text. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const normalised = normaliseText(text);
  return words.every((word) => normalised.includes(word));
}

/** The order as clients see it, without its owner. */
export function describeOrder({ createdAtMs, updatedAtMs, expiresAtMs, pet, ...order }: ListedOrder) {
  return {
    ...order,
    createdAt: new Date(createdAtMs),
    updatedAt: new Date(updatedAtMs),
    ...(expiresAtMs !== undefined && { expiresAt: new Date(expiresAtMs) }),
    ...(pet !== undefined && { pet }),
  };
}
