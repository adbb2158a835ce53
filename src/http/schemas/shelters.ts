// Schemas of shelters, and the parameters that find those near a place.

import type { TSchema } from "typebox";
import { nameRule } from "../../domain/basics/text.ts";
import {
  ABOUT_MAX,
  ADDRESS_LINE_MAX,
  EMAIL_MAX,
  OPENING_HOURS_MAX,
  PHONE_MAX,
  SHELTER_NAME_MAX,
} from "../../domain/basics/text-limits.ts";
import { WITHIN_KM_DEFAULT, WITHIN_KM_MAX } from "../../domain/shelters/distance.ts";
import {
  type NewShelter as DomainNewShelter,
  FIRST_SHELTER,
  type ShelterChanges,
} from "../../domain/shelters/shelter.ts";
import {
  httpsAddress,
  identifier,
  lines,
  named,
  optional,
  pageQuery,
  pathOf,
  removable,
  Timestamp,
} from "./members.ts";
import { Type } from "./type.ts";

export const EMAIL = String.raw`^[^\s@\u0000-\u001f\u007f-\u009f]+@[^\s@\u0000-\u001f\u007f-\u009f]+$`;
const DEGREES = String.raw`-?(?:0|[1-9][0-9]{0,2})(?:\.[0-9]{1,20})?`;
export const NEAR = `^${DEGREES},${DEGREES}$`;
export const NEAR_RULE = "LATITUDE,LONGITUDE in degrees, from -90 to 90 and from -180 to 180";

/** The second shelter of the examples; the first exists from the start. */
const NEW_SHELTER = {
  name: "Riverside Shelter",
  email: "hello@riverside.example",
  phone: "+49 30 123456",
  address: { city: "Berlin", country: "DE" },
  location: { latitude: 52.53, longitude: 13.38 },
};
const CREATED_AT = "2026-11-15T09:45:00.000Z";
const STORED_SHELTER = { id: 2, ...NEW_SHELTER, createdAt: CREATED_AT, updatedAt: CREATED_AT };
const CHANGE = { phone: "+49 30 654321" };

const line = (example: string, description: string) =>
  named(ADDRESS_LINE_MAX, example, `${description}: ${nameRule(ADDRESS_LINE_MAX)}. Stored trimmed.`);

export const Address = Type.Part("Address", "The address of a shelter. Every member is optional.", {
  ...optional({
    street: line("Uferweg 12", "Street and number"),
    postalCode: line("10115", "Postal code"),
    city: line(NEW_SHELTER.address.city, "City"),
    region: line("Berlin", "State, province or county"),
    country: Type.String({
      pattern: "^[A-Z]{2}$",
      "x-allowed": "a country code of ISO 3166 in two capital letters, such as DE",
      description: "Country code of ISO 3166: two capital letters.",
    }),
  }),
});

export const Location = Type.Part("Location", "A place on the Earth, in degrees.", {
  latitude: Type.Number({ minimum: -90, maximum: 90, description: "North is positive." }),
  longitude: Type.Number({ minimum: -180, maximum: 180, description: "East is positive." }),
});

const name = named(
  SHELTER_NAME_MAX,
  NEW_SHELTER.name,
  `Name of the shelter: ${nameRule(SHELTER_NAME_MAX)}. Stored trimmed.`,
);
const details = {
  about: lines(ABOUT_MAX, "Plain text about the shelter"),
  email: Type.String({
    pattern: EMAIL,
    maxLength: EMAIL_MAX,
    "x-allowed": `an e-mail address with one @, without white space, of at most ${EMAIL_MAX} characters`,
    description: "E-mail address for the public.",
  }),
  phone: named(PHONE_MAX, NEW_SHELTER.phone, `Telephone number: ${nameRule(PHONE_MAX)}. Stored trimmed.`),
  website: httpsAddress("Address of the website"),
  adoptUrl: httpsAddress("Address of the page where people apply for an animal"),
  address: Address,
  location: Location,
  openingHours: lines(OPENING_HOURS_MAX, "Opening hours"),
} satisfies Record<Exclude<keyof DomainNewShelter, "name">, TSchema>;

export const NewShelter = Type.Unsafe<DomainNewShelter>(
  Type.Named("NewShelter", "A shelter to add.", [NEW_SHELTER], { name, ...optional(details) }),
);

export const ShelterPatch = Type.Unsafe<ShelterChanges>(
  Type.Patch(
    "ShelterPatch",
    "Changes to a shelter. Absent members stay unchanged, `null` removes a member. `address` and `location` change as a whole.",
    [CHANGE],
    { name: Type.Optional(name), ...removable(details) },
  ),
);

export const shelterMembers = { name, ...optional(details) };

export const Shelter = Type.Named("Shelter", "A shelter. Every animal belongs to one.", [STORED_SHELTER], {
  id: identifier("Assigned by the service in ascending order, never reused.", STORED_SHELTER.id),
  ...shelterMembers,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const ChangedShelter = Type.Annotated(Shelter, { examples: [{ ...STORED_SHELTER, ...CHANGE }] });

export const Shelters = Type.List("Shelters", "Shelters in ascending order of id.", Shelter, [
  [{ ...STORED_SHELTER, ...CHANGE }],
]);

/** The shelter of the example listing. */
export const FIRST_SUMMARY = { id: Number(FIRST_SHELTER.id), name: FIRST_SHELTER.name };

export const ShelterSummary = Type.Part("ShelterSummary", "The shelter that an animal belongs to.", {
  id: identifier("The shelter."),
  name: Type.String({ description: "Name of the shelter." }),
  city: Type.Optional(Type.String({ description: "City of the shelter, if it is known." })),
});

export const NEAR_PARAMETERS = {
  near: Type.Optional(
    Type.String({
      pattern: NEAR,
      "x-allowed": NEAR_RULE,
      description:
        "Only shelters near this place: LATITUDE,LONGITUDE in degrees. A shelter without a location is never near.",
      examples: ["52.5,13.4"],
    }),
  ),
  within: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: WITHIN_KM_MAX,
      default: WITHIN_KM_DEFAULT,
      description: "The greatest distance from `near` in kilometres, along a great circle.",
      examples: [WITHIN_KM_DEFAULT],
    }),
  ),
};

export const SheltersQuery = pageQuery(NEAR_PARAMETERS);

export const ShelterPath = pathOf(
  "shelterId",
  "shelter_not_found",
  "Identifier of the shelter.",
  STORED_SHELTER.id,
);

export const SHELTER_COMPONENTS = [
  Shelter,
  NewShelter,
  ShelterPatch,
  Shelters,
  ShelterSummary,
  Address,
  Location,
];
