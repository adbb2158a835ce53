// Events: every change in one order, each with the complete new state, for the feed, the stream and webhooks.

import { exactJson } from "../../tools/exact-json.ts";
import type { Category } from "../animals/category.ts";
import { type Change, type ChangedState, type ChangeKind, SHELTER_CHANGE_KINDS } from "../animals/history.ts";
import { changedListingJson } from "../animals/listing.ts";
import type { Pet, PetStatus } from "../animals/pet.ts";
import { type Access, includesAccess } from "../keys/plan.ts";
import { describeOrder, type Order, type OrderStatus } from "../orders/order.ts";
import { describeShelter, replacedMembers, type Shelter } from "../shelters/shelter.ts";
import type { EventCursor } from "./event-cursor.ts";

export const EVENT_TYPES = [
  "pet.created",
  "pet.updated",
  "pet.deleted",
  "order.created",
  "order.updated",
  "category.updated",
  "category.deleted",
  "listing.updated",
  ...SHELTER_CHANGE_KINDS,
] as const satisfies ChangeKind[];
export type EventType = (typeof EVENT_TYPES)[number];

/** Requests may ask for all types of a kind, such as `pet.*`. */
export const EVENT_PATTERNS = [...new Set(EVENT_TYPES.map(patternOf))];

function patternOf(type: EventType): string {
  return `${type.split(".")[0]}.*`;
}

/** A change as the event store reads it. */
export interface StoredEvent extends Change {
  /** When the order of the change was placed and by which key, and the shelter that its animal belongs to now. */
  order?: { createdAtMs: number; ownerId: bigint; shelterId?: bigint | undefined } | undefined;
}

/** Which events a reader gets. */
export interface EventFilter {
  types: readonly EventType[];
  petId?: bigint | undefined;
  /** Present for readers who see only orders of this key. */
  ownerId?: bigint | undefined;
  /** Present for readers who see only orders for animals that belong to this shelter now. */
  shelterId?: bigint | undefined;
}

export interface EventPage {
  epoch: string;
  /** The number after which it begins. */
  after: bigint;
  events: StoredEvent[];
  /** Up to this number, no other event matches the filter. */
  examined: bigint;
  /** The newest number in the history; 0 if it is empty. */
  newest: bigint;
}

export interface EventStore {
  /**
   * At most `limit` events after the cursor, in ascending order. Examines a limited number of events per call. Throws
   * `feed_reset` if the cursor does not belong to the events that are kept.
   */
  read(after: EventCursor | "oldest", filter: EventFilter, limit: number): Promise<EventPage>;
  /** The cursor after the newest event. */
  newest(): Promise<EventCursor>;
  /** Deletes a limited number of events before `beforeMs`, but never the newest. Resolves to the number deleted. */
  forget(beforeMs: number): Promise<number>;
}

/** The types that a list such as `pet.*,order.created` means. Its words are of EVENT_TYPES and EVENT_PATTERNS. */
export function parseEventTypes(list: string): EventType[] {
  const words = new Set(list.split(","));
  return EVENT_TYPES.filter((type) => words.has(type) || words.has(patternOf(type)));
}

/** The wanted events that a key with this access may see. */
export function filterFor(
  { id, access, shelterId }: { id: bigint; access: Access; shelterId?: bigint | undefined },
  {
    types: wanted = EVENT_TYPES,
    petId,
  }: { types?: readonly EventType[] | undefined; petId?: bigint | undefined },
): EventFilter {
  const types = petId === undefined ? wanted : wanted.filter(isOfAnimal);
  if (includesAccess(access, "manage")) return { types, petId, shelterId };
  if (includesAccess(access, "adopt")) return { types, petId, ownerId: id, shelterId };
  return { types: types.filter((type) => !isOfOrder(type)), petId };
}

/** The same rule as the event store applies in SQL, for events in memory. */
export function isVisible(
  { type, petId, order }: StoredEvent,
  { types, petId: wanted, ownerId, shelterId }: EventFilter,
): boolean {
  if (!types.includes(type as EventType)) return false;
  if (wanted !== undefined && petId !== wanted) return false;
  if (!isOfOrder(type)) return true;
  const isOwned = ownerId === undefined || order?.ownerId === ownerId;
  return isOwned && (shelterId === undefined || order?.shelterId === shelterId);
}

/** A change of a category or a shelter has an animal without meaning. */
function isOfAnimal(type: EventType): boolean {
  return !type.startsWith("category.") && !type.startsWith("shelter.");
}

function isOfOrder(type: ChangeKind): boolean {
  return type.startsWith("order.");
}

export function eventIdOf(epoch: string, number: bigint): string {
  return `evt_${epoch}_${number}`;
}

export interface EventSource {
  epoch: string;
  publicUrl: string;
}

/** The event as it is sent. */
export function eventJson(stored: StoredEvent, { epoch, publicUrl }: EventSource): string {
  const { number, type, atMs } = stored;
  const timestamp = new Date(atMs).toISOString();
  const data = eventDataJson(stored, publicUrl);
  return `{"id":"${eventIdOf(epoch, number)}","number":${number},"type":"${type}","timestamp":"${timestamp}","data":${data}}`;
}

/** The new state, and the old values of the members that changed. */
export function eventDataJson(stored: StoredEvent, publicUrl: string): string {
  const { type, from, to } = stored;
  if (type === "listing.updated") return `{"listing":${changedListingJson(stored, publicUrl)}}`;
  return exactJson({ ...stateOf(stored), previous: from && to && changedMembers(from, to) });
}

function stateOf(stored: StoredEvent) {
  if (stored.type.startsWith("pet.")) return { pet: petOf(stored) };
  if (isOfOrder(stored.type)) return { order: describeOrder(orderOf(stored)) };
  return stored.type.startsWith("shelter.")
    ? { shelter: describeShelter(shelterOf(stored)) }
    : { category: categoryOf(stored) };
}

/** A deleted animal has its last state. */
function petOf({ petId, from, to }: StoredEvent): Pet {
  const { name = "", categoryId = 0n, status } = (to ?? from) as ChangedState;
  return { id: petId, name, categoryId, status: status as PetStatus };
}

function orderOf({ petId, orderId = 0n, to, atMs, order }: StoredEvent): Order {
  const { status, reference = "", expiresAtMs } = to as ChangedState;
  return {
    id: orderId,
    petId,
    status: status as OrderStatus,
    reference,
    createdAtMs: order?.createdAtMs ?? atMs,
    updatedAtMs: atMs,
    expiresAtMs,
  };
}

function categoryOf({ categoryId = 0n, from, to }: StoredEvent): Category {
  return { id: categoryId, name: (to ?? from)?.name ?? "" };
}

/** A deleted shelter has its last state. */
function shelterOf({ shelterId = 0n, from, to }: StoredEvent): Shelter {
  return { id: shelterId, ...((to ?? from)?.shelterMembers as Omit<Shelter, "id">) };
}

function changedMembers(from: ChangedState, to: ChangedState): object {
  if (from.shelterMembers && to.shelterMembers)
    return replacedMembers(from.shelterMembers, to.shelterMembers);
  const { expiresAtMs, ...others } = from;
  const changed = Object.entries(others).filter(([name, value]) => to[name as keyof ChangedState] !== value);
  const hasEnded = expiresAtMs !== undefined && to.expiresAtMs !== expiresAtMs;
  return { ...Object.fromEntries(changed), ...(hasEnded && { expiresAt: new Date(expiresAtMs) }) };
}
