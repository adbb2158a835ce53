// Schemas of profiles.

import type { TSchema } from "typebox";
import {
  ANSWERS,
  BREED_LENGTH_MAX,
  BREEDS_MAX,
  COATS,
  COLOR_LENGTH_MAX,
  COLORS_MAX,
  COMPANIONS,
  CUSTOM_LENGTH_MAX,
  CUSTOM_MAX,
  CUSTOM_NAME,
  DESCRIPTION_MAX,
  type Profile as DomainProfile,
  EXTERNAL_ID_MAX,
  FEE_MAX,
  type ProfileChanges,
  SEXES,
  SIZES,
  SPECIES,
  TAG_LENGTH_MAX,
  TAGS_MAX,
} from "../../domain/animals/profile.ts";
import { nameRule } from "../../domain/basics/text.ts";
import { day, httpsAddress, identifier, lines, named, optional, removable } from "./members.ts";
import { Type } from "./type.ts";

export const REX_PROFILE = {
  species: "dog",
  breeds: ["Labrador Retriever"],
  mixed: true,
  sex: "male",
  bornOn: "2023-05-04",
  bornIsEstimated: true,
  size: "large",
  goodWith: { children: "yes", cats: "unknown" },
  neutered: "yes",
  description: "Calm and curious.\nLikes long walks.",
  fee: { amount: 25_000, currency: "EUR" },
  externalId: "A-2041",
  tags: ["calm"],
  custom: { kennel: "B 12" },
};

export const Species = Type.Enum(SPECIES, { title: "Species", description: "The species of an animal." });
export const Sex = Type.Enum(SEXES, { title: "Sex", description: "The sex of an animal." });
export const Size = Type.Enum(SIZES, {
  title: "Size",
  description: "The size of an animal when it is grown.",
});
const Coat = Type.Enum(COATS, { title: "Coat", description: "The coat of an animal." });
const YesNoUnknown = Type.Enum(ANSWERS, {
  title: "YesNoUnknown",
  description: "An answer. `unknown`: somebody has looked and could not tell.",
});

const answer = (description: string) => Type.Annotated(YesNoUnknown, { description });
const names = (max: number, length: number, description: string) =>
  Type.Array(named(length, "calm", `${nameRule(length)}. Stored trimmed.`), { maxItems: max, description });

const members = {
  species: Species,
  breeds: names(BREEDS_MAX, BREED_LENGTH_MAX, `The breeds, at most ${BREEDS_MAX}.`),
  mixed: Type.Boolean({ description: "Whether the animal is of mixed breed." }),
  sex: Sex,
  bornOn: day("The day of birth.", REX_PROFILE.bornOn),
  bornIsEstimated: Type.Boolean({ description: "Whether `bornOn` is an estimate." }),
  size: Size,
  colors: names(COLORS_MAX, COLOR_LENGTH_MAX, `The colours, at most ${COLORS_MAX}.`),
  coat: Coat,
  goodWith: Type.Object({}),
  neutered: answer("Whether the animal is spayed or neutered."),
  vaccinated: answer("Whether its vaccinations are up to date."),
  houseTrained: answer("Whether the animal is house-trained."),
  specialNeeds: answer("Whether the animal has special needs."),
  description: lines(DESCRIPTION_MAX, "Plain text for people"),
  fee: Type.Object(
    {
      amount: Type.Integer({
        minimum: 0,
        maximum: FEE_MAX,
        description: "In minor units of the currency: 25000 means 250 euros.",
      }),
      currency: Type.String({
        pattern: "^[A-Z]{3}$",
        "x-allowed": "a currency code of ISO 4217, such as EUR",
        description: "Currency code of ISO 4217.",
      }),
    },
    { description: "The adoption fee." },
  ),
  arrivedOn: day("The day on which the animal arrived.", "2026-10-01"),
  videoUrl: httpsAddress("Address of a video"),
  externalId: named(
    EXTERNAL_ID_MAX,
    REX_PROFILE.externalId,
    `The identifier in your own system, unique in the store: ${nameRule(EXTERNAL_ID_MAX)}. Stored trimmed.`,
  ),
  tags: names(TAGS_MAX, TAG_LENGTH_MAX, `Your own tags, at most ${TAGS_MAX}.`),
  custom: Type.Object({}),
} satisfies Record<keyof DomainProfile, TSchema>;

const companions = Object.fromEntries(
  COMPANIONS.map((companion) => [companion, answer(`Good with ${companion}.`)]),
);
const GOOD_WITH = "Whom the animal gets on with.";

const CustomName = Type.String({
  pattern: CUSTOM_NAME,
  "x-allowed": "a small letter and up to 39 ASCII letters and digits",
});
const CustomValue = named(
  CUSTOM_LENGTH_MAX,
  REX_PROFILE.custom.kennel,
  `${nameRule(CUSTOM_LENGTH_MAX)}. Stored trimmed.`,
);
const CUSTOM = `Up to ${CUSTOM_MAX} members of your own, such as \`microchip\` or \`kennel\`. They are not searched.`;

export const Profile = Type.Unsafe<DomainProfile>(
  Type.Part(
    "Profile",
    "Facts about an animal that people ask for before they adopt it. Every member is optional.",
    optional({
      ...members,
      goodWith: Type.Object(optional(companions), { description: GOOD_WITH }),
      custom: Type.Map(CustomName, CustomValue, { maxProperties: CUSTOM_MAX, description: CUSTOM }),
    }),
  ),
);

export const ProfilePatch = Type.Unsafe<ProfileChanges>(
  Type.Patch(
    "ProfilePatch",
    "Changes to a profile. Absent members stay unchanged, `null` removes a member. `goodWith` and `custom` change member by member, every other member as a whole.",
    [REX_PROFILE],
    {
      ...removable({
        ...members,
        goodWith: Type.Object(removable(companions), {
          description: `${GOOD_WITH} Absent members stay unchanged.`,
        }),
        custom: Type.Map(CustomName, Type.Nullable(CustomValue), {
          description: `${CUSTOM} Absent members stay unchanged.`,
        }),
      }),
      shelterId: Type.Optional(
        identifier(
          "Moves the animal, with its orders, to this shelter. Only for keys without a shelter of their own.",
        ),
      ),
    },
  ),
);

export const PROFILE_COMPONENTS = [Profile, ProfilePatch, Species, Sex, Size, Coat, YesNoUnknown];
