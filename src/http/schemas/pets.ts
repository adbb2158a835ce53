// Schemas of animals and their history.

import { PET_CHANGE_KINDS } from "../../domain/animals/history.ts";
import { PET_STATUSES, PET_TRANSITIONS } from "../../domain/animals/pet.ts";
import { nameRule } from "../../domain/basics/text.ts";
import { PET_NAME_MAX } from "../../domain/basics/text-limits.ts";
import { describeTransitions } from "../../domain/basics/transition.ts";
import { EXAMPLE_TIME, identifier, named, pageQuery, parameter, pathOf, Timestamp } from "./members.ts";
import { PersonName } from "./person-name.ts";
import { Profile } from "./profiles.ts";
import { Type } from "./type.ts";

const PetStatus = Type.Enum(PET_STATUSES, {
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

export const NewPet = Type.Named("NewPet", "An animal to add.", [NEW_REX], {
  ...petMembers,
  status: Type.Optional(Type.Described(PetStatus, "The availability of the animal. Default: `available`.")),
});

export const Pet = Type.Named("Pet", "An animal.", [REX], {
  id: identifier("Assigned by the service in ascending order, never reused."),
  ...petMembers,
  status: PetStatus,
});
export const ChangedPet = Type.Annotated(Pet, { examples: [RENAMED_REX] });

export const Pets = Type.List("Pets", "Animals in ascending order of id.", Pet);

export const PetPatch = Type.Patch("PetPatch", "Changes to an animal.", [RENAMING], {
  name: Type.Optional(petMembers.name),
  categoryId: Type.Optional(petMembers.categoryId),
  status: Type.Optional(PetStatus),
});

export const PetsQuery = pageQuery({
  status: parameter(PetStatus, "Only animals with this status.", REX.status),
});

export const PetPath = pathOf("petId", "pet_not_found", "Identifier of the animal.", REX.id);

const ChangedState = Type.Part(
  "ChangedState",
  "The state of an animal, an order or a listing before or after a change.",
  {
    status: Type.String({ description: "Status of the animal or the order." }),
    name: Type.Optional(Type.String({ description: "Name of an animal." })),
    categoryId: Type.Optional(identifier("Category of an animal.", REX.categoryId)),
    reference: Type.Optional(Type.String({ description: "Reference of an order." })),
    profile: Type.Optional(Type.Described(Profile, "Profile of a listing.")),
    shelterId: Type.Optional(identifier("Shelter of an animal that has moved.")),
  },
);

const Change = Type.Part(
  "Change",
  "One change of an animal, of its profile, or of one of its orders. `from` is absent on creation, `to` on deletion.",
  {
    number: identifier("Increases by one with every change in the store."),
    what: Type.Enum(PET_CHANGE_KINDS, { description: "The kind of change." }),
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
    person: Type.Optional(PersonName),
  },
);

export const Changes = Type.List("Changes", "Changes in ascending order of number.", Change, [
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

export const Inventory = Type.Named(
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
