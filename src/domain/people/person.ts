// A person who works with the animals: their rights, the rules for changing them, and the interface of the store.

import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
import { namePattern, nameRule } from "../basics/text.ts";
import { PERSON_NAME_MAX } from "../basics/text-limits.ts";
import type { AuditOrigin } from "../keys/audit.ts";
import type { Access, Plan } from "../keys/plan.ts";

const PERSON_NAME = new RegExp(namePattern(PERSON_NAME_MAX), "u");

export const PERSON_STATUSES = ["active", "ended"] as const;
/** The plan of each of their keys. */
export const PERSON_PLAN: Plan = "business";
/** Every device has the limits of a plan: without a bound, a person could multiply them. */
export const DEVICES_MAX = 50;

export interface PersonSettings {
  name: string;
  access: Access;
  /** The only shelter whose animals they may change; absent for the whole network. */
  shelterId?: bigint | undefined;
}

export interface Person extends PersonSettings {
  id: bigint;
  /** Keys that are not revoked. */
  devices: number;
  createdAtMs: number;
  /** Accurate to a minute. */
  lastUsedAtMs?: number | undefined;
  endedAtMs?: number | undefined;
}

/** An absent member stays unchanged; `null` removes the shelter. */
export interface PersonChanges {
  name?: string | undefined;
  access?: Access | undefined;
  shelterId?: bigint | null | undefined;
}

/** Every change is recorded in the audit log, in the same transaction. */
export interface PersonStore {
  /** In ascending order of id, with those whose access has ended. */
  list(page: Page): Promise<Person[]>;
  /**
   * Also changes all their keys. `revise` may throw; concurrent updates run one after another. Undefined for an unknown or
   * ended person. Throws `invalid_body` for an unknown shelter.
   */
  update(
    id: bigint,
    revise: (person: Person) => PersonSettings,
    origin: AuditOrigin,
  ): Promise<Person | undefined>;
  /** Revokes all their keys and open invitations. Undefined for an unknown or ended person. */
  end(id: bigint, origin: AuditOrigin): Promise<Person | undefined>;
}

/** Throws `invalid_body`, naming every fault. */
export function revisePerson(person: PersonSettings, changes: PersonChanges): PersonSettings {
  const { name = person.name, access = person.access, shelterId = person.shelterId } = changes;
  const settings = { name: name.trim(), access, shelterId: shelterId ?? undefined };
  const faults = findPersonFaults(settings);
  if (faults.length > 0) throw new ServiceError("invalid_body", { message: faults.join("; ") });
  return settings;
}

export function findPersonFaults({ name, access, shelterId }: PersonSettings): string[] {
  const faults: string[] = [];
  if (!PERSON_NAME.test(name)) faults.push(`name must be ${nameRule(PERSON_NAME_MAX)}`);
  if (shelterId !== undefined && access === "admin")
    faults.push("shelterId is not for people with access admin: set it to null (--shelter none)");
  return faults;
}

/** The person as the API shows them. */
export function describePerson(person: Person) {
  const { id, name, access, shelterId, devices, createdAtMs, lastUsedAtMs, endedAtMs } = person;
  return {
    id,
    name,
    access,
    ...(shelterId !== undefined && { shelterId }),
    status: endedAtMs === undefined ? ("active" as const) : ("ended" as const),
    devices,
    createdAt: new Date(createdAtMs),
    ...(lastUsedAtMs !== undefined && { lastUsedAt: new Date(lastUsedAtMs) }),
  };
}
