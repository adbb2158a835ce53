// Schemas of API keys and their usage.

import { nameRule } from "../../domain/basics/text.ts";
import { KEY_NAME_MAX } from "../../domain/basics/text-limits.ts";
import { ROTATION_GRACE_SECONDS, ROTATION_GRACE_SECONDS_MAX } from "../../domain/keys/api-key.ts";
import { ACCESS_LEVELS, OWN_LIMIT_MAX, PLAN_NAMES, PLANS } from "../../domain/keys/plan.ts";
import {
  annotate,
  described,
  EXAMPLE_TIME,
  identifier,
  listOf,
  named,
  nullable,
  pageQuery,
  pathOf,
  shape,
  Timestamp,
  text,
  UnixTime,
} from "./members.ts";
import { Type } from "./type.ts";

const Plan = text(PLAN_NAMES, {
  title: "Plan",
  description: "The plan of a key, which sets its limits.",
  "x-limits": PLANS,
});
const Access = text(ACCESS_LEVELS, {
  title: "Access",
  description: "The access level of a key; each level includes the levels before it.",
});
const OwnLimit = Type.Integer({
  minimum: 1,
  maximum: OWN_LIMIT_MAX,
  description: "The own limit of an enterprise key.",
});
/** The key of all examples; the first key of a store has id 1. */
const NEW_KEY = { name: "Website", plan: "free", access: "browse" };
const KEY_CHANGE = { plan: "pro" };
const ROTATION = { graceSeconds: 3600 };
export const KEY_EXAMPLE = {
  id: 2,
  ...NEW_KEY,
  ...PLANS.free,
  hint: "ask_live_x7Qm",
  state: "active",
  createdAt: EXAMPLE_TIME,
};
const SECRET = "ask_live_x7QmP0s9dKf3LwZr8TbYh2VnC6Jg1aXu4EoR";

const KeyName = named(KEY_NAME_MAX, KEY_EXAMPLE.name, `Purpose of the key: ${nameRule(KEY_NAME_MAX)}.`);

export const NewKey = shape("NewKey", "A key to create.", [NEW_KEY], {
  name: KeyName,
  plan: Plan,
  access: Type.Optional(described(Access, "The access level of the key. Default: `manage`.")),
  perMinute: Type.Optional(OwnLimit),
  perDay: Type.Optional(OwnLimit),
  expiresAt: Type.Optional(Timestamp),
});

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
    description: "Changes to a key; `null` removes an own limit or the expiry.",
    examples: [KEY_CHANGE],
  },
);

export const KeyRotation = shape("KeyRotation", "Options of a rotation.", [ROTATION], {
  graceSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: ROTATION_GRACE_SECONDS_MAX,
      description: `Seconds for which the old secret still works. Default: ${ROTATION_GRACE_SECONDS}.`,
    }),
  ),
});

const KeyState = text(["active", "expired", "revoked"], {
  title: "KeyState",
  description: "Whether the key is valid.",
});
const keyMembers = {
  id: identifier("Assigned by the service.", KEY_EXAMPLE.id),
  name: Type.String(),
  plan: Plan,
  access: Access,
  perMinute: Type.Integer({ description: "Requests per minute." }),
  perDay: Type.Integer({ description: "Requests per day." }),
  hint: Type.String({ description: "The first characters of the key, to recognise it." }),
  state: KeyState,
  createdAt: Timestamp,
  expiresAt: Type.Optional(Timestamp),
  revokedAt: Type.Optional(Timestamp),
  lastUsedAt: Type.Optional(described(Timestamp, "Accurate to a minute.")),
  deprecatedUsedAt: Type.Optional(
    described(
      Timestamp,
      "The last call of the deprecated `getPet`, whatever its result; accurate to a minute.",
    ),
  ),
};

const KeyBan = shape("KeyBan", "Present while the key is banned.", [], {
  reset: described(UnixTime, "Unix time in seconds at which the ban ends."),
});
const knownKeyMembers = { ...keyMembers, ban: Type.Optional(KeyBan) };

export const ApiKey = shape("ApiKey", "A key, without its secret.", [KEY_EXAMPLE], knownKeyMembers);
export const ChangedKey = annotate(ApiKey, { examples: [{ ...KEY_EXAMPLE, ...KEY_CHANGE, ...PLANS.pro }] });
export const ApiKeys = listOf("ApiKeys", "Keys in ascending order of id.", ApiKey);
export const IssuedKey = shape("IssuedKey", "A key with its secret.", [{ ...KEY_EXAMPLE, key: SECRET }], {
  ...keyMembers,
  key: Type.String({ description: "The secret key. Shown only once." }),
  oldEndsAt: Type.Optional(described(Timestamp, "After a rotation: when the old secret stops working.")),
});
export const RotatedKey = annotate(IssuedKey, {
  examples: [{ ...KEY_EXAMPLE, key: SECRET, oldEndsAt: "2026-11-15T10:30:00.000Z" }],
});

const UsageWindow = shape("UsageWindow", "One rate limit window of a key.", [], {
  limit: Type.Integer({ description: "Requests that the window allows." }),
  remaining: Type.Integer({ description: "Requests left in the window." }),
  reset: described(UnixTime, "Unix time in seconds at which the window resets."),
});
export const usageMembers = {
  minute: UsageWindow,
  day: UsageWindow,
  ban: Type.Optional(KeyBan),
};
export const USAGE_EXAMPLE = {
  minute: { limit: PLANS.free.perMinute, remaining: 59, reset: 1893456000 },
  day: { limit: PLANS.free.perDay, remaining: 999, reset: 1893542340 },
};
export const KeyDetails = shape(
  "KeyDetails",
  "A key with its remaining requests, without its secret.",
  [{ ...KEY_EXAMPLE, usage: USAGE_EXAMPLE }],
  {
    ...knownKeyMembers,
    usage: Type.Object(usageMembers, { description: "The remaining requests of the key." }),
  },
);
export const Usage = shape(
  "Usage",
  "The remaining requests of the caller's key.",
  [{ plan: KEY_EXAMPLE.plan, access: KEY_EXAMPLE.access, ...USAGE_EXAMPLE }],
  { plan: Plan, access: Access, ...usageMembers },
);

export const KeysQuery = pageQuery({
  calls: Type.Optional(
    text(["getPet"], {
      description: "Only keys that have called this deprecated operation.",
      examples: ["getPet"],
    }),
  ),
});

export const KeyPath = pathOf("keyId", {
  description: "Identifier of the key.",
  missing: "key_not_found",
  example: KEY_EXAMPLE.id,
});

export const KEY_COMPONENTS = [
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
