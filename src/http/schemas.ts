// Every shape on the wire, once: validated with, serialised with and published from here.

import Type, { type Static, type TSchema } from "typebox";
import { ACCESS_LEVELS } from "../domain/access.ts";
import { KEY_NAME_MAX, ROTATION_GRACE_SECONDS, ROTATION_GRACE_SECONDS_MAX } from "../domain/api-key.ts";
import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../domain/page.ts";
import { PET_NAME_MAX, PET_STATUSES } from "../domain/pet.ts";
import { OWN_LIMIT_MAX, PLAN_NAMES } from "../domain/plan.ts";
import { namePattern, nameRule } from "../domain/text.ts";
import { TIME_RULE } from "../domain/time.ts";

function text(values: readonly string[], options: object = {}): TSchema & { type: "string" } {
  return Type.Unsafe({ type: "string", enum: [...values], ...options }) as never;
}

function named(max: number, example: string) {
  return Type.String({ pattern: namePattern(max), "x-allowed": nameRule(max), examples: [example] });
}

/** For the reader of the document; what fills in is the domain. */
function withDefault<T extends TSchema>(schema: T, value: Static<T>) {
  return Type.Unsafe<Static<T>>({ ...schema, default: value });
}

function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

function identifier(description: string) {
  return Type.Unsafe<bigint>({ type: "integer", format: "int64", description, examples: [1] });
}

const Timestamp = Type.Unsafe<Date>({ type: "string", format: "date-time", "x-allowed": TIME_RULE });
function describedTime(description: string) {
  return Type.Unsafe<Date>({ ...Timestamp, description });
}
const UnixTime = Type.Integer({ description: "Unix time in seconds.", examples: [1893456000] });

export const PetStatus = Type.Unsafe<(typeof PET_STATUSES)[number]>(
  text(PET_STATUSES, { title: "PetStatus", description: "The availability of an animal." }),
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

const ErrorBody = Type.Object(
  {
    code: Type.Unsafe<ErrorCode>(text(Object.keys(ERRORS), { description: "Machine-readable error code." })),
    message: Type.String({ description: "Human-readable description." }),
    status: Type.Integer({ description: "The HTTP status code." }),
  },
  { title: "Error", description: "The body of every answer that is neither 2xx nor 304." },
);

const Limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    default: PAGE_LIMIT_DEFAULT,
    description: "Maximum number of items returned.",
  }),
);
const Cursor = Type.Optional(
  Type.String({
    description: "Where the page starts. Opaque: taken from the `next` link of the page before.",
  }),
);

export const PageQuery = Type.Object({ limit: Limit, cursor: Cursor });

export const PetsQuery = Type.Object({
  limit: Limit,
  status: Type.Optional(
    Type.Unsafe<Static<typeof PetStatus>>({ ...PetStatus, description: "Only animals with this status." }),
  ),
  cursor: Cursor,
});

/** A path identifier that is no int64 names nothing: `x-missing` is the code for that. */
export const PetPath = Type.Object(
  { petId: identifier("Identifier of the animal.") },
  { "x-missing": "pet_not_found" satisfies ErrorCode },
);
export const KeyPath = Type.Object(
  { keyId: identifier("Identifier of the key.") },
  { "x-missing": "key_not_found" satisfies ErrorCode },
);

const Plan = Type.Unsafe<(typeof PLAN_NAMES)[number]>(
  text(PLAN_NAMES, { title: "Plan", description: "The plan of a key, which gives it its limits." }),
);
const Access = Type.Unsafe<(typeof ACCESS_LEVELS)[number]>(
  text(ACCESS_LEVELS, {
    title: "Access",
    description: "What a key may do; each level includes those before it.",
  }),
);
const OwnLimit = Type.Integer({
  minimum: 1,
  maximum: OWN_LIMIT_MAX,
  description: "Own limit of an enterprise key.",
});
const KeyName = Type.String({
  ...named(KEY_NAME_MAX, "Website"),
  description: `What the key is for: ${nameRule(KEY_NAME_MAX)}.`,
});

export const NewKey = Type.Object(
  {
    name: KeyName,
    plan: Plan,
    access: Type.Optional(withDefault(Access, "manage")),
    perMinute: Type.Optional(OwnLimit),
    perDay: Type.Optional(OwnLimit),
    expiresAt: Type.Optional(Timestamp),
  },
  {
    title: "NewKey",
    description: "A key to issue. Without `access` it may `manage`.",
    examples: [{ name: "Website", plan: "free", access: "browse" }],
  },
);

export const KeyPatch = Type.Object(
  {
    name: Type.Optional(KeyName),
    plan: Type.Optional(Plan),
    access: Type.Optional(Access),
    perMinute: Type.Optional(nullable(OwnLimit)),
    perDay: Type.Optional(nullable(OwnLimit)),
    expiresAt: Type.Optional(nullable(Timestamp)),
  },
  {
    title: "KeyPatch",
    minProperties: 1,
    description: "What to change; `null` takes an own limit or the expiry away.",
    examples: [{ plan: "pro" }],
  },
);

export const KeyRotation = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: ROTATION_GRACE_SECONDS_MAX,
        default: ROTATION_GRACE_SECONDS,
        description: "How long the old secret still works.",
      }),
    ),
  },
  { title: "KeyRotation", description: "How to rotate.", examples: [{ graceSeconds: 3600 }] },
);

const keyMembers = {
  id: identifier("Assigned by the service."),
  name: Type.String(),
  plan: Plan,
  access: Access,
  perMinute: Type.Integer({ description: "Requests per minute." }),
  perDay: Type.Integer({ description: "Requests per day." }),
  hint: Type.String({ description: "The recognisable beginning of the key." }),
  state: text(["active", "expired", "revoked"], { description: "Whether the key is in force." }),
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
  revokedAt: Type.Optional(Timestamp),
  lastUsedAt: Type.Optional(describedTime("Accurate to a minute.")),
};

const KEY_EXAMPLE = {
  id: 2,
  name: "Website",
  plan: "free",
  access: "browse",
  perMinute: 60,
  perDay: 1000,
  hint: "ask_live_x7Qm",
  state: "active",
  createdAt: "2026-11-15T09:30:00.000Z",
};

export const ApiKey = Type.Object(keyMembers, {
  title: "ApiKey",
  description: "A key, without its secret.",
  examples: [KEY_EXAMPLE],
});
export const ApiKeys = Type.Array(ApiKey, { title: "ApiKeys", description: "Keys by id, rising." });
export const IssuedKey = Type.Object(
  {
    ...keyMembers,
    key: Type.String({ description: "The key itself. Shown this once." }),
    oldEndsAt: Type.Optional(describedTime("After a rotation: when the old secret ends.")),
  },
  {
    title: "IssuedKey",
    description: "A key with its secret.",
    examples: [{ ...KEY_EXAMPLE, key: "ask_live_x7QmP0s9dKf3LwZr8TbYh2VnC6Jg1aXu4EoR" }],
  },
);

const UsageWindow = Type.Object({ limit: Type.Integer(), remaining: Type.Integer(), reset: UnixTime });
export const Usage = Type.Object(
  {
    plan: Plan,
    access: Access,
    minute: UsageWindow,
    day: UsageWindow,
    ban: Type.Optional(Type.Object({ reset: UnixTime }, { description: "Present while the key is banned." })),
  },
  {
    title: "Usage",
    description: "What is left to the key that asks.",
    examples: [
      {
        plan: "free",
        access: "browse",
        minute: { limit: 60, remaining: 59, reset: 1893456000 },
        day: { limit: 1000, remaining: 999, reset: 1893542340 },
      },
    ],
  },
);

/** The shapes that the OpenAPI document names. */
export const COMPONENTS = [
  Pet,
  NewPet,
  Pets,
  PetStatus,
  ErrorBody,
  Plan,
  Access,
  ApiKey,
  ApiKeys,
  NewKey,
  KeyPatch,
  KeyRotation,
  IssuedKey,
  Usage,
];
