// Schemas of animals and their history.

import { PET_CHANGE_KINDS } from "../../domain/animals/history.ts";
import { PET_STATUSES, PET_TRANSITIONS } from "../../domain/animals/pet.ts";
import { nameRule } from "../../domain/basics/text.ts";
import { PET_NAME_MAX } from "../../domain/basics/text-limits.ts";
import { describeTransitions } from "../../domain/basics/transition.ts";
import {
  annotate,
  described,
  EXAMPLE_TIME,
  identifier,
  listOf,
  named,
  pageQuery,
  pathOf,
  shape,
  Timestamp,
  text,
} from "./members.ts";
import { Profile } from "./profiles.ts";
import { Type } from "./type.ts";

const PetStatus = text(PET_STATUSES, {
  title: "PetStatus",
  description: `The availability of an animal. Allowed transitions: ${describeTransitions(PET_TRANSITIONS)}.`,
  "x-transitions": PET_TRANSITIONS,
});

/** The animal of all examples. */
const NEW_REX = { name: "Rex", categoryId: 3, status: "available" };
const REX = { id: 1, ...NEW_REX };
const RENAMING = { name: "Rex II" };
export const RENAMED_REX = { ...REX, ...RENAMING };

const petMembers = {
  name: named(PET_NAME_MAX, REX.name, `Name of the animal: ${nameRule(PET_NAME_MAX)}. Stored trimmed.`),
  categoryId: identifier("Identifier of the category of the animal; any int64.", REX.categoryId),
};

export const NewPet = shape("NewPet", "An animal to add.", [NEW_REX], {
  ...petMembers,
  status: Type.Optional(described(PetStatus, "The availability of the animal. Default: `available`.")),
});

export const Pet = shape("Pet", "An animal.", [REX], {
  id: identifier("Assigned by the service in ascending order, never reused."),
  ...petMembers,
  status: PetStatus,
});
export const ChangedPet = annotate(Pet, { examples: [RENAMED_REX] });

export const Pets = listOf("Pets", "Animals in ascending order of id.", Pet);

export const PetPatch = Type.Object(
  {
    name: Type.Optional(petMembers.name),
    categoryId: Type.Optional(petMembers.categoryId),
    status: Type.Optional(PetStatus),
  },
  {
    title: "PetPatch",
    minProperties: 1,
    description: "Changes to an animal.",
    examples: [RENAMING],
  },
);

export const PetsQuery = pageQuery({
  status: Type.Optional(
    annotate(PetStatus, { description: "Only animals with this status.", examples: [REX.status] }),
  ),
});

export const PetPath = pathOf("petId", {
  description: "Identifier of the animal.",
  missing: "pet_not_found",
  example: REX.id,
});

const ChangedState = shape(
  "ChangedState",
  "The state of an animal, an order or a listing before or after a change.",
  [],
  {
    status: Type.String({ description: "Status of the animal or the order." }),
    name: Type.Optional(Type.String({ description: "Name of an animal." })),
    categoryId: Type.Optional(identifier("Category of an animal.", REX.categoryId)),
    reference: Type.Optional(Type.String({ description: "Reference of an order." })),
    profile: Type.Optional(described(Profile, "Profile of a listing.")),
  },
);

const Change = shape(
  "Change",
  "One change of an animal, of its profile, or of one of its orders. `from` is absent on creation, `to` on deletion.",
  [],
  {
    number: identifier("Increases by one with every change in the store."),
    what: text(PET_CHANGE_KINDS, { description: "The kind of change." }),
    petId: identifier("The animal that changed, or whose order changed."),
    at: Timestamp,
    orderId: Type.Optional(identifier("The order that changed.")),
    from: Type.Optional(ChangedState),
    to: Type.Optional(ChangedState),
    keyId: Type.Optional(
      identifier(
        "The key that made the change; 0 is ADMIN_API_KEY. Absent for a change by the service itself or by an operator command.",
      ),
    ),
  },
);

export const Changes = listOf("Changes", "Changes in ascending order of number.", Change, [
  [
    { number: 2, what: "pet.created", petId: REX.id, at: EXAMPLE_TIME, to: NEW_REX, keyId: 1 },
    {
      number: 3,
      what: "pet.updated",
      petId: REX.id,
      at: "2026-11-15T09:45:00.000Z",
      from: NEW_REX,
      to: { ...NEW_REX, ...RENAMING },
      keyId: 1,
    },
  ],
]);

export const Inventory = shape(
  "Inventory",
  "The number of animals in each status.",
  [{ available: 12, pending: 3, sold: 40 }],
  {
    available: Type.Integer({ description: "Animals that can be ordered." }),
    pending: Type.Integer({ description: "Animals that are reserved." }),
    sold: Type.Integer({ description: "Animals that are adopted." }),
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
