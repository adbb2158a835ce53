// The shape of an event: the type decides what `data` holds.

import type { Category, Listing, Order, Pet, Shelter } from "../generated/shapes.ts";
import type { Int64 } from "../int64.ts";

/** `previous` holds the members that changed, with their old values. */
interface EventData {
  "pet.created": { pet: Pet };
  "pet.updated": { pet: Pet; previous: Partial<Pet> };
  /** The last state of the animal. */
  "pet.deleted": { pet: Pet };
  "order.created": { order: Order };
  "order.updated": { order: Order; previous: Partial<Order> };
  /** `previous` is absent if the category had no name. */
  "category.updated": { category: Category; previous?: Partial<Category> };
  "category.deleted": { category: Category; previous?: Partial<Category> };
  /** The animal with its profile and photos. */
  "listing.updated": { listing: Listing };
  "shelter.created": { shelter: Shelter };
  "shelter.updated": { shelter: Shelter; previous: Partial<Shelter> };
  "shelter.deleted": { shelter: Shelter };
  /** Sent to a webhook on request; not in the feed. */
  "webhook.test": { [member: string]: unknown };
}

/**
 * The kind of a change. A newer service may send other types: ignore those that you do not know.
 *
 * @example
 * const type: EventType = "pet.created";
 * for await (const event of client.events({ types: [type] })) console.log(event.id);
 */
export type EventType = keyof EventData;

/**
 * A change, with the complete new state. `Event` is a union over all types; compare `type` to know what `data` holds.
 * `Event<"pet.created">` is one of them.
 *
 * @example
 * function describe(event: Event): string {
 *   if (event.type === "pet.updated") return `${event.data.pet.name}: ${Object.keys(event.data.previous).join(", ")}`;
 *   return event.type;
 * }
 */
export type Event<T extends EventType = EventType> = T extends EventType
  ? {
      /** The same in the feed and in every delivery to a webhook. */
      id: string;
      /** Increases by one with every event: of two states, the one with the higher number is newer. */
      number: Int64;
      type: T;
      /** RFC 3339, in UTC. */
      timestamp: string;
      data: EventData[T];
    }
  : never;

/** Checks no more than what every event has, so that events of a newer service pass. */
export function isEvent(value: unknown): value is Event {
  const { id, type, data } = (value ?? {}) as Partial<Event>;
  return typeof id === "string" && typeof type === "string" && typeof data === "object" && data !== null;
}
