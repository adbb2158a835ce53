// Schemas of API keys and their usage.

import { ALLOWED_ORIGINS_MAX } from "../../domain/basics/count-limits.ts";
import { nameRule } from "../../domain/basics/text.ts";
import { KEY_NAME_MAX } from "../../domain/basics/text-limits.ts";
import { ORIGIN_LENGTH_MAX, ORIGIN_RULE } from "../../domain/keys/allowed-origins.ts";
import {
  KEY_KINDS,
  NEW_KEY_KINDS,
  ROTATION_GRACE_SECONDS,
  ROTATION_GRACE_SECONDS_MAX,
} from "../../domain/keys/api-key.ts";
import { ACCESS_LEVELS, OWN_LIMIT_MAX, PLAN_NAMES, PLANS } from "../../domain/keys/plan.ts";
import { EXAMPLE_TIME, identifier, named, pageQuery, pathOf, Timestamp, UnixTime } from "./members.ts";
import { PersonName } from "./person-name.ts";
import { Type } from "./type.ts";

const Plan = Type.Enum(PLAN_NAMES, {
  title: "Plan",
  description: "The plan of a key, which sets its limits.",
  "x-limits": PLANS,
});
export const Access = Type.Enum(ACCESS_LEVELS, {
  title: "Access",
  description: "The access level of a key; each level includes the levels before it.",
});
const OwnLimit = Type.Integer({
  minimum: 1,
  maximum: OWN_LIMIT_MAX,
  description: "The own limit of an enterprise key.",
});
const KeyShelter = identifier(
  "The only shelter whose animals the key may change, and whose orders it sees; absent for all shelters. Not for access `admin`.",
);
const Kind = Type.Enum(KEY_KINDS, {
  title: "KeyKind",
  description:
    "`secret`: for programs that can keep it secret. `publishable`: for web pages, where everybody can read it; it may only read what the public may see. `person`: of a person's device, with the rights of the person.",
});
const NewKind = Type.Enum(NEW_KEY_KINDS, {
  description: "The kind of the key. Default: `secret`. People get their keys by an invitation.",
});
const AllowedOrigins = Type.Array(Type.String({ maxLength: ORIGIN_LENGTH_MAX, "x-allowed": ORIGIN_RULE }), {
  maxItems: ALLOWED_ORIGINS_MAX,
  description: `Origins of the web pages that may use a publishable key; each ${ORIGIN_RULE}.`,
  examples: [["https://www.example.org"]],
});
/** The key of all examples; the first key of a store has id 1. */
const NEW_KEY = { name: "Website", plan: "free", access: "browse" };
const KIND = { kind: "secret" };
const KEY_CHANGE = { plan: "pro" };
const ROTATION = { graceSeconds: 3600 };
export const KEY_EXAMPLE = {
  id: 2,
  ...KIND,
  ...NEW_KEY,
  ...PLANS.free,
  hint: "ask_live_x7Qm",
  state: "active",
  createdAt: EXAMPLE_TIME,
};
export const SECRET_EXAMPLE = "ask_live_x7QmP0s9dKf3LwZr8TbYh2VnC6Jg1aXu4EoR";

const KeyName = named(KEY_NAME_MAX, KEY_EXAMPLE.name, `Purpose of the key: ${nameRule(KEY_NAME_MAX)}.`);

export const NewKey = Type.Named("NewKey", "A key to create.", [NEW_KEY], {
  kind: Type.Optional(NewKind),
  name: KeyName,
  plan: Plan,
  access: Type.Optional(
    Type.Described(Access, "The access level of the key. Default: `manage`. Not for a publishable key."),
  ),
  perMinute: Type.Optional(OwnLimit),
  perDay: Type.Optional(
    Type.Described(OwnLimit, "The own limit of an enterprise key. Not for a publishable key."),
  ),
  expiresAt: Type.Optional(Timestamp),
  shelterId: Type.Optional(Type.Nullable(KeyShelter)),
  allowedOrigins: Type.Optional(AllowedOrigins),
});

export const KeyPatch = Type.Patch(
  "KeyPatch",
  "Changes to a key; `null` removes an own limit, the expiry or the shelter.",
  [KEY_CHANGE],
  {
    name: Type.Optional(KeyName),
    plan: Type.Optional(Plan),
    access: Type.Optional(Access),
    perMinute: Type.Optional(Type.Nullable(OwnLimit)),
    perDay: Type.Optional(Type.Nullable(OwnLimit)),
    expiresAt: Type.Optional(Type.Nullable(Timestamp)),
    shelterId: Type.Optional(Type.Nullable(KeyShelter)),
    allowedOrigins: Type.Optional(AllowedOrigins),
  },
);

export const KeyRotation = Type.Named("KeyRotation", "Options of a rotation.", [ROTATION], {
  graceSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: ROTATION_GRACE_SECONDS_MAX,
      description: `Seconds for which the old secret still works. Default: ${ROTATION_GRACE_SECONDS}.`,
    }),
  ),
});

const KeyState = Type.Enum(["active", "expired", "revoked"], {
  title: "KeyState",
  description: "Whether the key is valid.",
});
const keyMembers = {
  id: identifier("Assigned by the service.", KEY_EXAMPLE.id),
  kind: Kind,
  name: Type.String(),
  person: Type.Optional(PersonName),
  plan: Plan,
  access: Access,
  perMinute: Type.Integer({ description: "Requests per minute." }),
  perDay: Type.Optional(Type.Integer({ description: "Requests per day; absent for a publishable key." })),
  shelterId: Type.Optional(KeyShelter),
  allowedOrigins: Type.Optional(AllowedOrigins),
  hint: Type.String({ description: "The first characters of the key, to recognise it." }),
  state: KeyState,
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
  revokedAt: Type.Optional(Timestamp),
  lastUsedAt: Type.Optional(Type.Described(Timestamp, "Accurate to a minute.")),
  deprecatedUsedAt: Type.Optional(
    Type.Described(
      Timestamp,
      "The last call of the deprecated `getPet`, whatever its result; accurate to a minute.",
    ),
  ),
};

const KeyBan = Type.Part("KeyBan", "Present while the key is banned.", {
  reset: Type.Described(UnixTime, "Unix time in seconds at which the ban ends."),
});
const knownKeyMembers = {
  ...keyMembers,
  key: Type.Optional(Type.String({ description: "A publishable key itself, which is no secret." })),
  ban: Type.Optional(KeyBan),
};

export const ApiKey = Type.Named("ApiKey", "A key, without its secret.", [KEY_EXAMPLE], knownKeyMembers);
export const ChangedKey = Type.Annotated(ApiKey, {
  examples: [{ ...KEY_EXAMPLE, ...KEY_CHANGE, ...PLANS.pro }],
});
export const ApiKeys = Type.List("ApiKeys", "Keys in ascending order of id.", ApiKey);
export const IssuedKey = Type.Named(
  "IssuedKey",
  "A key with its secret.",
  [{ ...KEY_EXAMPLE, key: SECRET_EXAMPLE }],
  {
    ...keyMembers,
    key: Type.String({ description: "The key. Unless it is publishable, it is shown only once." }),
    oldEndsAt: Type.Optional(
      Type.Described(Timestamp, "After a rotation: when the old secret stops working."),
    ),
  },
);
export const RotatedKey = Type.Annotated(IssuedKey, {
  examples: [{ ...KEY_EXAMPLE, key: SECRET_EXAMPLE, oldEndsAt: "2026-11-15T10:30:00.000Z" }],
});

const UsageWindow = Type.Part("UsageWindow", "One rate limit window of a key.", {
  limit: Type.Integer({ description: "Requests that the window allows." }),
  remaining: Type.Integer({ description: "Requests left in the window." }),
  reset: Type.Described(UnixTime, "Unix time in seconds at which the window resets."),
});
const usageMembers = {
  minute: UsageWindow,
  day: UsageWindow,
  ban: Type.Optional(KeyBan),
};
/** A publishable key has no window of a day. */
export const keyUsageMembers = {
  ...usageMembers,
  day: Type.Optional(Type.Described(UsageWindow, "Absent for a publishable key.")),
};
export const USAGE_EXAMPLE = {
  minute: { limit: PLANS.free.perMinute, remaining: 59, reset: 1893456000 },
  day: { limit: PLANS.free.perDay, remaining: 999, reset: 1893542340 },
};
export const KeyDetails = Type.Named(
  "KeyDetails",
  "A key with its remaining requests, without its secret.",
  [{ ...KEY_EXAMPLE, usage: USAGE_EXAMPLE }],
  {
    ...knownKeyMembers,
    usage: Type.Object(keyUsageMembers, { description: "The remaining requests of the key." }),
  },
);
export const Usage = Type.Named(
  "Usage",
  "The remaining requests of the caller's key.",
  [{ plan: KEY_EXAMPLE.plan, access: KEY_EXAMPLE.access, ...USAGE_EXAMPLE }],
  {
    plan: Plan,
    access: Access,
    shelterId: Type.Optional(KeyShelter),
    person: Type.Optional(PersonName),
    ...usageMembers,
  },
);

export const KeysQuery = pageQuery({
  calls: Type.Optional(
    Type.Enum(["getPet"], {
      description: "Only keys that have called this deprecated operation.",
      examples: ["getPet"],
    }),
  ),
});

export const KeyPath = pathOf("keyId", "key_not_found", "Identifier of the key.", KEY_EXAMPLE.id);

export const KEY_COMPONENTS = [
  Kind,
  Plan,
  Access,
  ApiKey,
  ApiKeys,
  KeyDetails,
  NewKey,
  KeyPatch,
  KeyRotation,
  IssuedKey,
  KeyBan,
  KeyState,
  Usage,
  UsageWindow,
];
