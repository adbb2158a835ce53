// Schemas of people, their invitations and devices.

import { nameRule } from "../../domain/basics/text.ts";
import { DEVICE_NAME_MAX, PERSON_NAME_MAX } from "../../domain/basics/text-limits.ts";
import {
  ADMIN_INVITATION_HOURS,
  INVITATION_DAYS,
  INVITATION_DAYS_MAX,
  INVITATION_STATUSES,
  LINK_MINUTES,
} from "../../domain/people/invitation.ts";
import { PERSON_STATUSES } from "../../domain/people/person.ts";
import { Access, SECRET_EXAMPLE } from "./keys.ts";
import { identifier, named, pageQuery, parameter, pathOf, Timestamp } from "./members.ts";
import { Type } from "./type.ts";

const PersonStatus = Type.Enum(PERSON_STATUSES, {
  title: "PersonStatus",
  description: "Whether the person may sign in.",
});
const InvitationStatus = Type.Enum(INVITATION_STATUSES, {
  title: "InvitationStatus",
  description: "Only an open invitation can be accepted.",
});

/** The person of all examples. */
const MARIA = { name: "Maria", access: "manage" };
const INVITED_AT = "2026-11-15T11:00:00.000Z";
const INVITATION = {
  id: 1,
  ...MARIA,
  status: "open",
  createdAt: INVITED_AT,
  expiresAt: "2026-11-22T11:00:00.000Z",
};
const PERSON = { id: 1, ...MARIA, status: "active", devices: 1, createdAt: INVITED_AT };
const CHANGE = { access: "adopt" };
const CODE = "4fT0bXq9LmZ2sVh7Kc1RdY";
const URL_EXAMPLE = `https://animals.example.org/#join/${CODE}`;

const PersonName = named(
  PERSON_NAME_MAX,
  MARIA.name,
  `Name of the person: ${nameRule(PERSON_NAME_MAX)}. Two people may have the same.`,
);
const PersonShelter = identifier(
  "The only shelter whose animals the person may change, and whose orders they see; absent for all shelters. Not for access `admin`.",
);
const PersonAccess = Type.Described(
  Access,
  "What the person may do; each level includes the levels before it.",
);
const rights = { name: PersonName, access: PersonAccess, shelterId: Type.Optional(PersonShelter) };

const Person = Type.Named("Person", "A person who signs in by invitations.", [PERSON], {
  id: identifier("Assigned by the service in ascending order, never reused.", PERSON.id),
  ...rights,
  status: PersonStatus,
  devices: Type.Integer({ description: "Number of devices that are signed in." }),
  createdAt: Type.Described(Timestamp, "When the person accepted their first invitation."),
  lastUsedAt: Type.Optional(
    Type.Described(Timestamp, "The last request of any device, accurate to a minute."),
  ),
});
export const ChangedPerson = Type.Annotated(Person, { examples: [{ ...PERSON, ...CHANGE }] });
export const People = Type.List(
  "People",
  "People in ascending order of id, with those whose access has ended.",
  Person,
);
export const PersonPatch = Type.Patch(
  "PersonPatch",
  "Changes to a person; `null` removes the shelter.",
  [CHANGE],
  {
    name: Type.Optional(PersonName),
    access: Type.Optional(PersonAccess),
    shelterId: Type.Optional(Type.Nullable(PersonShelter)),
  },
);
export const PeopleQuery = pageQuery({});
export const PersonPath = pathOf("personId", "person_not_found", "Identifier of the person.", PERSON.id);

export const NewInvitation = Type.Patch(
  "NewInvitation",
  "An invitation of a new person, with `name` and `access`, or of a known one for another device, with `personId`.",
  [MARIA],
  {
    name: Type.Optional(PersonName),
    access: Type.Optional(PersonAccess),
    shelterId: Type.Optional(Type.Nullable(PersonShelter)),
    personId: Type.Optional(identifier("A known person, who gets another device.")),
    expiresAt: Type.Optional(
      Type.Described(
        Timestamp,
        `When the invitation expires: at most ${INVITATION_DAYS_MAX} days from now, for access \`admin\` ${ADMIN_INVITATION_HOURS} hours. Default: ${INVITATION_DAYS} days, for \`admin\` ${ADMIN_INVITATION_HOURS} hours.`,
      ),
    ),
  },
);
const invitationMembers = {
  id: identifier("Assigned by the service in ascending order, never reused.", INVITATION.id),
  ...rights,
  personId: Type.Optional(identifier("The person; absent until a new person has accepted.")),
  status: InvitationStatus,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  acceptedAt: Type.Optional(Timestamp),
};
const Invitation = Type.Named(
  "Invitation",
  "An invitation, without its code. One of a known person has their current name and rights.",
  [INVITATION],
  invitationMembers,
);
export const Invitations = Type.List("Invitations", "Invitations in ascending order of id.", Invitation);
export const CreatedInvitation = Type.Named(
  "CreatedInvitation",
  "An invitation with its link.",
  [{ ...INVITATION, url: URL_EXAMPLE }],
  {
    ...invitationMembers,
    url: Type.String({
      description: "The link to send to the person. It works once, and is shown only now.",
    }),
  },
);
export const InvitationsQuery = pageQuery({
  status: parameter(InvitationStatus, "Only invitations with this status.", INVITATION.status),
});
export const InvitationPath = pathOf(
  "invitationId",
  "invitation_not_found",
  "Identifier of the invitation.",
  INVITATION.id,
);

export const NewDevice = Type.Named(
  "NewDevice",
  "A code, and a label for the device.",
  [{ code: CODE, device: "Phone" }],
  {
    code: Type.String({ description: "The part of the link after `#join/`." }),
    device: Type.Optional(
      named(
        DEVICE_NAME_MAX,
        "Phone",
        `Name of the new key: ${nameRule(DEVICE_NAME_MAX)}. Default: \`Device\`.`,
      ),
    ),
  },
);
export const SignedIn = Type.Named(
  "SignedIn",
  "The key of a new device, and its person.",
  [{ key: SECRET_EXAMPLE, person: PERSON }],
  { key: Type.String({ description: "The key of this device. It is shown only now." }), person: Person },
);
export const DeviceLink = Type.Named(
  "DeviceLink",
  "A link for another device of the same person.",
  [{ url: URL_EXAMPLE, expiresAt: "2026-11-15T11:10:00.000Z" }],
  {
    url: Type.String({ description: "Works once, and is shown only now." }),
    expiresAt: Type.Described(
      Timestamp,
      `When the link expires: ${LINK_MINUTES} minutes after its creation.`,
    ),
  },
);

export const PEOPLE_COMPONENTS = [
  Person,
  People,
  PersonPatch,
  PersonStatus,
  NewInvitation,
  Invitation,
  Invitations,
  InvitationStatus,
  CreatedInvitation,
  NewDevice,
  SignedIn,
  DeviceLink,
];
