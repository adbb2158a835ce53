// Schemas of the audit log.

import type { TSchema } from "typebox";
import {
  type Actor,
  AUDIT_ACTIONS,
  type AuditState as State,
  type AuditTarget as Target,
} from "../../domain/keys/audit.ts";
import { KEY_EXAMPLE } from "./keys.ts";
import { EXAMPLE_TIME, identifier, Timestamp } from "./members.ts";
import { PersonName } from "./person-name.ts";
import { Address, Location } from "./shelters.ts";
import { Type } from "./type.ts";

const AuditActor = Type.Unsafe<Actor>(
  Type.Part("AuditActor", "Who made a change: either a key or a command.", {
    keyId: Type.Optional(identifier("The key of the API call; 0 is ADMIN_API_KEY.")),
    person: Type.Optional(PersonName),
    command: Type.Optional(
      Type.String({
        description: "The operator command; `serve` for what the service does by itself.",
        examples: ["keys revoke"],
      }),
    ),
  }),
);

const AuditTarget = Type.Unsafe<Target>(
  Type.Part("AuditTarget", "What changed: one of the members.", {
    keyId: Type.Optional(identifier("The key that changed.")),
    webhookId: Type.Optional(identifier("The webhook that changed.")),
    shelterId: Type.Optional(identifier("The shelter that changed.")),
    personId: Type.Optional(identifier("The person that changed.")),
    invitationId: Type.Optional(identifier("The invitation that changed.")),
    file: Type.Optional(
      Type.String({
        description: "The name of the file that was imported or restored, without its folder.",
      }),
    ),
  }),
);

const stateMembers = {
  name: Type.String({ description: "Name of a key, a shelter or a person." }),
  personId: identifier("The person of a key or an invitation."),
  plan: Type.String({ description: "Plan of a key." }),
  access: Type.String({ description: "Access level of a key, a person or an invitation." }),
  perMinute: Type.Nullable(Type.Integer({ description: "Own limit of a key." })),
  perDay: Type.Nullable(Type.Integer({ description: "Own limit of a key." })),
  expiresAt: Type.Nullable(Type.Described(Timestamp, "Expiry of a key, an invitation or a link.")),
  shelterId: Type.Nullable(identifier("The shelter that a key, a person or an invitation is limited to.")),
  kind: Type.String({ description: "Kind of a key; absent for a secret one." }),
  allowedOrigins: Type.Nullable(
    Type.Array(Type.String(), { description: "Origins that may use a publishable key." }),
  ),
  hint: Type.String({ description: "The first characters of a key." }),
  oldEndsAt: Type.Described(Timestamp, "When the old secret of a rotated key stops working."),
  state: Type.String({ description: "State of a key." }),
  bannedUntil: Type.Described(Timestamp, "End of a ban."),
  url: Type.String({ description: "Address of a webhook." }),
  types: Type.Nullable(Type.Array(Type.String(), { description: "Event types of a webhook." })),
  description: Type.Nullable(Type.String({ description: "Description of a webhook." })),
  status: Type.String({ description: "Status of a webhook, a person or an invitation." }),
  disabledReason: Type.Nullable(Type.String({ description: "Why a webhook is disabled." })),
  about: Type.Nullable(Type.String({ description: "Description of a shelter." })),
  email: Type.Nullable(Type.String({ description: "Email address of a shelter." })),
  phone: Type.Nullable(Type.String({ description: "Telephone number of a shelter." })),
  website: Type.Nullable(Type.String({ description: "Website of a shelter." })),
  adoptUrl: Type.Nullable(Type.String({ description: "Where people apply for animals of a shelter." })),
  address: Type.Nullable(Address),
  location: Type.Nullable(Location),
  openingHours: Type.Nullable(Type.String({ description: "Opening hours of a shelter." })),
  isPublic: Type.Boolean({ description: "Whether the public site is open." }),
  title: Type.Nullable(Type.String({ description: "Title of the public site." })),
  introduction: Type.Nullable(Type.String({ description: "Introduction of the public site." })),
  language: Type.String({ description: "Language of the public site." }),
  accent: Type.Nullable(Type.String({ description: "Colour of the public site." })),
  pets: Type.Integer({ description: "Number of animals that an import has added." }),
  firstId: identifier("The first added animal."),
  lastId: identifier("The last added animal."),
  updated: Type.Integer({ description: "Number of known animals that an import has changed." }),
  store: Type.String({ description: "Identifies a store; a restored or copied one gets another value." }),
} satisfies Record<keyof State, TSchema>;

const AuditState = Type.Unsafe<State>(
  Type.Part(
    "AuditState",
    "Only the members that changed; `null` for one that was not set. Never a secret.",
    Object.fromEntries(
      Object.entries<TSchema>(stateMembers).map(([name, member]) => [name, Type.Optional(member)]),
    ),
  ),
);

const AuditAction = Type.Enum(AUDIT_ACTIONS, { title: "AuditAction", description: "The kind of change." });

const AuditRecord = Type.Part(
  "AuditRecord",
  "One change of the service itself. `target` is absent if the public site was changed, the whole store was copied, or an uploaded file was imported; `from` is absent on creation.",
  {
    number: identifier("Increases by one with every record."),
    timestamp: Timestamp,
    action: AuditAction,
    actor: AuditActor,
    target: Type.Optional(AuditTarget),
    from: Type.Optional(AuditState),
    to: Type.Optional(AuditState),
  },
);

const { id, name, plan, access, hint } = KEY_EXAMPLE;

export const AuditRecords = Type.List("AuditRecords", "Audit records, newest first.", AuditRecord, [
  [
    {
      number: 2,
      timestamp: EXAMPLE_TIME,
      action: "key.created",
      actor: { keyId: 1 },
      target: { keyId: id },
      to: { name, plan, access, hint },
    },
    {
      number: 1,
      timestamp: EXAMPLE_TIME,
      action: "key.created",
      actor: { keyId: 0 },
      target: { keyId: 1 },
      to: { name: "test", plan: "business", access: "admin", hint },
    },
  ],
]);

export const AUDIT_COMPONENTS = [AuditAction, AuditRecord, AuditRecords, AuditActor, AuditTarget, AuditState];
