// Schemas of events.

import { EVENT_WAIT_SECONDS_MAX } from "../../domain/basics/request-limits.ts";
import { EVENT_PATTERNS, EVENT_TYPES } from "../../domain/events/event.ts";
import { Category } from "./categories.ts";
import { Listing } from "./listings.ts";
import { EXAMPLE_TIME, identifier, Limit, Timestamp } from "./members.ts";
import { Order } from "./orders.ts";
import { Pet, PetPatch } from "./pets.ts";
import { Shelter, shelterMembers } from "./shelters.ts";
import { Type } from "./type.ts";

const EPOCH = "9f86d081884c7d65";
export const EXAMPLE_EVENT_ID = `evt_${EPOCH}_2`;
const PET_CREATED = {
  id: EXAMPLE_EVENT_ID,
  number: 2,
  type: "pet.created",
  timestamp: EXAMPLE_TIME,
  data: { pet: { id: 1, name: "Rex", categoryId: 3, status: "available" } },
};
const PET_RENAMED = {
  id: `evt_${EPOCH}_3`,
  number: 3,
  type: "pet.updated",
  timestamp: "2026-11-15T09:45:00.000Z",
  data: { pet: { ...PET_CREATED.data.pet, name: "Rex II" }, previous: { name: "Rex" } },
};

type TypeOf<Kind extends string> = Extract<(typeof EVENT_TYPES)[number], `${Kind}.${string}`>;

export function capitalise(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function eventOf<const K extends string, D extends Parameters<typeof Type.Object>[0]>(
  kind: K,
  subject: string,
  data: D,
) {
  const types = EVENT_TYPES.filter((type): type is TypeOf<K> => type.startsWith(`${kind}.`));
  const name = capitalise(kind);
  return Type.Part(`${name}Event`, `A change of ${subject}.`, {
    id: Type.String({ description: "Identifies the event, also across restores and copies of the store." }),
    number: identifier("Increases by one with every change in the store."),
    type: Type.Enum(types, { description: "The kind of change." }),
    timestamp: Timestamp,
    data: Type.Object(data, { description: "The complete new state; after a deletion, the last one." }),
  });
}

const PREVIOUS = "On an update: the members that changed, with their old values.";

const PetEvent = eventOf("pet", "an animal", {
  pet: Pet,
  previous: Type.Optional(Type.Object(PetPatch.properties, { description: PREVIOUS })),
});

const { status, reference, expiresAt } = Order.properties;
const OrderEvent = eventOf("order", "an order", {
  order: Order,
  previous: Type.Optional(
    Type.Object(
      { status: Type.Optional(status), reference: Type.Optional(reference), expiresAt },
      { description: PREVIOUS },
    ),
  ),
});

const CategoryEvent = eventOf("category", "the name of a category", {
  category: Category,
  previous: Type.Optional(
    Type.Object({ name: Category.properties.name }, { description: "The old name, if there was one." }),
  ),
});

const ShelterEvent = eventOf("shelter", "a shelter", {
  shelter: Shelter,
  previous: Type.Optional(
    Type.Object(
      { ...shelterMembers, name: Type.Optional(Shelter.properties.name) },
      { description: PREVIOUS },
    ),
  ),
});

const ListingEvent = eventOf("listing", "the profile or the photos of an animal", { listing: Listing });

const Event = Type.Union([PetEvent, OrderEvent, CategoryEvent, ListingEvent, ShelterEvent], {
  title: "Event",
  description: "One change; `type` determines its shape. More types may be added.",
});

export const Events = Type.List("Events", "Events in ascending order of number.", Event, [
  [PET_CREATED, PET_RENAMED],
]);

/** An example of a stream: how it starts, and one event. */
export const EventStream = Type.String({
  description: "Server-sent events: `id` is a cursor, `event` is the type, `data` is an Event on one line.",
  examples: [
    `retry: 3000\nid: ${EPOCH}-1\n\nid: ${EPOCH}-2\nevent: pet.created\ndata: ${JSON.stringify(PET_CREATED)}\n\n`,
  ],
});

const WORD = [...EVENT_TYPES, ...EVENT_PATTERNS]
  .map((word) => word.replaceAll(/[.*]/g, String.raw`\$&`))
  .join("|");

export const TYPE_LIST = `^(?:${WORD})(?:,(?:${WORD}))*$`;

const filters = {
  type: Type.Optional(
    Type.String({
      pattern: TYPE_LIST,
      "x-allowed": `a list, separated by commas, of ${[...EVENT_TYPES, ...EVENT_PATTERNS].join(", ")}`,
      description: "Only events of these types, separated by commas; `pet.*` means all types of animals.",
      examples: ["pet.*"],
    }),
  ),
  petId: Type.Optional(identifier("Only events of this animal and its orders.")),
};
const After = Type.Optional(
  Type.String({
    description: "A cursor, or `now` for the end of the feed. Default: the oldest event that is kept.",
    examples: ["now"],
  }),
);

export const EventsQuery = Type.Object({
  limit: Limit,
  ...filters,
  after: After,
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: EVENT_WAIT_SECONDS_MAX,
      default: 0,
      examples: [0],
      description:
        "If there is no event, wait up to this many seconds for one. While it waits, the request counts as a stream.",
    }),
  ),
});

export const EventStreamQuery = Type.Object({ ...filters, after: After });

export const EVENT_COMPONENTS = [
  Event,
  Events,
  PetEvent,
  OrderEvent,
  CategoryEvent,
  ListingEvent,
  ShelterEvent,
];
