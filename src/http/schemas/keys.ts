// Schemas of API keys and their usage.

import { nameRule } from "../../domain/basics/text.ts";
import { KEY_NAME_MAX } from "../../domain/basics/text-limits.ts";
import { ROTATION_GRACE_SECONDS, ROTATION_GRACE_SECONDS_MAX } from "../../domain/keys/api-key.ts";
import { ACCESS_LEVELS, OWN_LIMIT_MAX, PLAN_NAMES, PLANS } from "../../domain/keys/plan.ts";
import {
  annotate,
  EXAMPLE_TIME,
  identifier,
  named,
  nullable,
  pageQuery,
  pathOf,
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

export const NewKey = Type.Object(
  {
    name: KeyName,
    plan: Plan,
    access: Type.Optional(
      annotate(Access, { description: "The access level of the key. Default: `manage`." }),
    ),
    perMinute: Type.Optional(OwnLimit),
    perDay: Type.Optional(OwnLimit),
    expiresAt: Type.Optional(Timestamp),
  },
  { title: "NewKey", description: "A key to create.", examples: [NEW_KEY] },
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
    description: "Changes to a key; `null` removes an own limit or the expiry.",
    examples: [KEY_CHANGE],
  },
);

export const KeyRotation = Type.Object(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: ROTATION_GRACE_SECONDS_MAX,
        description: `Seconds for which the old secret still works. Default: ${ROTATION_GRACE_SECONDS}.`,
      }),
    ),
  },
  { title: "KeyRotation", description: "Options of a rotation.", examples: [ROTATION] },
);

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
  lastUsedAt: Type.Optional(annotate(Timestamp, { description: "Accurate to a minute." })),
  deprecatedUsedAt: Type.Optional(
    annotate(Timestamp, {
      description: "The last call of the deprecated `getPet`, whatever its result; accurate to a minute.",
    }),
  ),
};

const KeyBan = Type.Object(
  { reset: annotate(UnixTime, { description: "Unix time in seconds at which the ban ends." }) },
  { title: "KeyBan", description: "Present while the key is banned." },
);
const knownKeyMembers = { ...keyMembers, ban: Type.Optional(KeyBan) };

export const ApiKey = Type.Object(knownKeyMembers, {
  title: "ApiKey",
  description: "A key, without its secret.",
  examples: [KEY_EXAMPLE],
});
export const ChangedKey = annotate(ApiKey, { examples: [{ ...KEY_EXAMPLE, ...KEY_CHANGE, ...PLANS.pro }] });
export const ApiKeys = Type.Array(ApiKey, {
  title: "ApiKeys",
  description: "Keys in ascending order of id.",
});
export const IssuedKey = Type.Object(
  {
    ...keyMembers,
    key: Type.String({ description: "The secret key. Shown only once." }),
    oldEndsAt: Type.Optional(
      annotate(Timestamp, { description: "After a rotation: when the old secret stops working." }),
    ),
  },
  {
    title: "IssuedKey",
    description: "A key with its secret.",
    examples: [{ ...KEY_EXAMPLE, key: SECRET }],
  },
);
export const RotatedKey = annotate(IssuedKey, {
  examples: [{ ...KEY_EXAMPLE, key: SECRET, oldEndsAt: "2026-11-15T10:30:00.000Z" }],
});

const UsageWindow = Type.Object(
  {
    limit: Type.Integer({ description: "Requests that the window allows." }),
    remaining: Type.Integer({ description: "Requests left in the window." }),
    reset: annotate(UnixTime, { description: "Unix time in seconds at which the window resets." }),
  },
  { title: "UsageWindow", description: "One rate limit window of a key." },
);
export const usageMembers = {
  minute: UsageWindow,
  day: UsageWindow,
  ban: Type.Optional(KeyBan),
};
export const USAGE_EXAMPLE = {
  minute: { limit: PLANS.free.perMinute, remaining: 59, reset: 1893456000 },
  day: { limit: PLANS.free.perDay, remaining: 999, reset: 1893542340 },
};
export const KeyDetails = Type.Object(
  {
    ...knownKeyMembers,
    usage: Type.Object(usageMembers, { description: "The remaining requests of the key." }),
  },
  {
    title: "KeyDetails",
    description: "A key with its remaining requests, without its secret.",
    examples: [{ ...KEY_EXAMPLE, usage: USAGE_EXAMPLE }],
  },
);
export const Usage = Type.Object(
  { plan: Plan, access: Access, ...usageMembers },
  {
    title: "Usage",
    description: "The remaining requests of the caller's key.",
    examples: [{ plan: KEY_EXAMPLE.plan, access: KEY_EXAMPLE.access, ...USAGE_EXAMPLE }],
  },
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
