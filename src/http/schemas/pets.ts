// The shapes of animals and of their history.

import type { Static } from "typebox";
import { CHANGE_KINDS, type ChangeKind } from "../../domain/history.ts";
import { PET_NAME_MAX, PET_STATUSES, PET_TRANSITIONS } from "../../domain/pet.ts";
import { nameRule } from "../../domain/text.ts";
import { describeTransitions } from "../../domain/transition.ts";
import { Cursor, identifier, Limit, named, pathOf, Timestamp, text, withDefault } from "./members.ts";
import { Type } from "./type.ts";

const PetStatus = Type.Unsafe<(typeof PET_STATUSES)[number]>(
  text(PET_STATUSES, {
    title: "PetStatus",
    description: `The availability of an animal. Allowed transitions: ${describeTransitions(PET_TRANSITIONS)}.`,
    "x-transitions": PET_TRANSITIONS,
  }),
);

const petMembers = {
  name: Type.String({
    ...named(PET_NAME_MAX, "Rex"),
    description: `The animal's name: ${nameRule(PET_NAME_MAX)}. It is stored trimmed.`,
  }),
  categoryId: identifier("Identifier of the category the animal belongs to; any int64."),
};

export const NewPet = Type.Object(
  { ...petMembers, status: Type.Optional(withDefault(PetStatus, "available")) },
  {
    title: "NewPet",
    description: "An animal to add. Without `status` it is `available`.",
    examples: [{ name: "Rex", categoryId: 3, status: "available" }],
  },
);

export const Pet = Type.Object(
  {
    id: identifier("Assigned by the service, rising, never reused."),
    ...petMembers,
    status: PetStatus,
  },
  {
    title: "Pet",
    description: "An animal.",
    examples: [{ id: 1, name: "Rex", categoryId: 3, status: "available" }],
  },
);

export const Pets = Type.Array(Pet, { title: "Pets", description: "Animals by id, rising." });

export const PetPatch = Type.Object(
  {
    name: Type.Optional(petMembers.name),
    categoryId: Type.Optional(petMembers.categoryId),
    status: Type.Optional(PetStatus),
  },
  {
    title: "PetPatch",
    minProperties: 1,
    description: "What to change of an animal.",
    examples: [{ status: "pending" }],
  },
);

export const PetsQuery = Type.Object({
  limit: Limit,
  status: Type.Optional(
    Type.Unsafe<Static<typeof PetStatus>>({ ...PetStatus, description: "Only animals with this status." }),
  ),
  cursor: Cursor,
});

export const PetPath = pathOf("petId", "Identifier of the animal.", "pet_not_found");

const ChangedState = Type.Object(
  {
    status: Type.String({ description: "Of the animal or the order." }),
    name: Type.Optional(Type.String({ description: "Of an animal." })),
    categoryId: Type.Optional(identifier("Of an animal.")),
    reference: Type.Optional(Type.String({ description: "Of an order." })),
  },
  { title: "ChangedState", description: "An animal or an order as it was before or after a change." },
);

const Change = Type.Object(
  {
    number: identifier("Rises by one with every change in the store."),
    what: Type.Unsafe<ChangeKind>(text(CHANGE_KINDS, { description: "What has changed, and how." })),
    petId: identifier("The animal, or the one that the order is for."),
    at: Timestamp,
    orderId: Type.Optional(identifier("The order that has changed.")),
    from: Type.Optional(ChangedState),
    to: Type.Optional(ChangedState),
    keyId: Type.Optional(
      identifier(
        "The key that did it; 0 is ADMIN_API_KEY. Absent where the service itself or its operator did it.",
      ),
    ),
  },
  {
    title: "Change",
    description:
      "One change of an animal or of an order for it. `from` is absent on creation, `to` on deletion.",
    examples: [
      {
        number: 2,
        what: "pet.updated",
        petId: 1,
        at: "2026-11-15T09:30:00.000Z",
        from: { status: "available", name: "Rex", categoryId: 3 },
        to: { status: "pending", name: "Rex", categoryId: 3 },
        keyId: 1,
      },
    ],
  },
);

export const Changes = Type.Array(Change, {
  title: "Changes",
  description: "Changes by number, rising.",
});

export const Inventory = Type.Object(
  {
    available: Type.Integer({ description: "Animals that can be ordered." }),
    pending: Type.Integer({ description: "Animals that are held." }),
    sold: Type.Integer({ description: "Animals that have found a home." }),
  },
  {
    title: "Inventory",
    description: "The number of animals in each status.",
    examples: [{ available: 12, pending: 3, sold: 40 }],
  },
);

export const PET_COMPONENTS = [
  Pet,
  NewPet,
  Pets,
  PetPatch,
  PetStatus,
  Change,
  Changes,
  ChangedState,
  Inventory,
];
