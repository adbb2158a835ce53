// The records of the audit log about changes of shelters.

import { findChange, onlySet, type RecordedChange } from "../keys/audit.ts";
import { type NewShelter, SHELTER_DETAILS } from "./shelter.ts";

export function auditShelterCreation(shelter: NewShelter): RecordedChange {
  return { action: "shelter.created", to: onlySet(membersOf(shelter)) };
}

export function auditShelterUpdate(before: NewShelter, after: NewShelter): RecordedChange {
  return { action: "shelter.updated", ...findChange(membersOf(before), membersOf(after)) };
}

export function auditShelterDeletion(shelter: NewShelter): RecordedChange {
  return { action: "shelter.deleted", from: onlySet(membersOf(shelter)) };
}

function membersOf(shelter: NewShelter) {
  const details = SHELTER_DETAILS.map((member) => [member, shelter[member] ?? null]);
  return { name: shelter.name, ...Object.fromEntries(details) };
}
