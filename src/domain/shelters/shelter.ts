// The shelter that animals belong to: its members, the rules for changing it, and the interface of its store.

import type { Page } from "../basics/page.ts";
import type { Precondition } from "../basics/precondition.ts";
import type { AuditOrigin } from "../keys/audit.ts";
import type { Access } from "../keys/plan.ts";
import type { Location, Near } from "./distance.ts";

export const SHELTER_NAME_MAX = 100;
export const ABOUT_MAX = 2_000;
export const EMAIL_MAX = 254;
export const PHONE_MAX = 40;
export const ADDRESS_LINE_MAX = 100;
export const OPENING_HOURS_MAX = 500;

/** Created by the migration, and never deleted. */
export const FIRST_SHELTER = { id: 1n, name: "Our shelter" };

export interface Address {
  street?: string;
  postalCode?: string;
  city?: string;
  region?: string;
  /** Two capital letters. */
  country?: string;
}

interface Details {
  about?: string;
  email?: string;
  phone?: string;
  website?: string;
  /** Where people apply for an animal. */
  adoptUrl?: string;
  address?: Address;
  location?: Location;
  openingHours?: string;
}

export interface NewShelter extends Details {
  name: string;
}

export interface Shelter extends NewShelter {
  id: bigint;
  createdAtMs: number;
  updatedAtMs: number;
}

/** The shelter of a listing. */
export interface ShelterSummary {
  id: bigint;
  name: string;
  city?: string | undefined;
}

/** Absent members stay unchanged; null removes one. `address` and `location` change as a whole. */
export type ShelterChanges = { name?: string | undefined } & {
  [K in keyof Details]?: Details[K] | null | undefined;
};

/** Time and author of a change, with the access of the key. A command has no key. */
export type ShelterOrigin = AuditOrigin & { access: Access };

/** Every change is recorded in the history and in the audit log, in the same transaction. */
export interface ShelterStore {
  /** In ascending order of id. */
  list(filter: { near?: Near | undefined }, page: Page): Promise<Shelter[]>;
  find(id: bigint): Promise<Shelter | undefined>;
  create(shelter: NewShelter, origin: AuditOrigin): Promise<Shelter>;
  /** Undefined for an unknown id. Throws `insufficient_access`, `other_shelter`, `precondition_failed`. */
  update(
    id: bigint,
    changes: ShelterChanges,
    origin: ShelterOrigin,
    precondition?: Precondition<Shelter>,
  ): Promise<Shelter | undefined>;
  /** False for an unknown id. Throws `shelter_in_use`, `precondition_failed`. */
  delete(id: bigint, origin: AuditOrigin, precondition?: Precondition<Shelter>): Promise<boolean>;
}

/** The order of the members in JSON. */
const DETAILS = [
  "about",
  "email",
  "phone",
  "website",
  "adoptUrl",
  "address",
  "location",
  "openingHours",
] as const satisfies Array<keyof Details>;

/** The shelter after the changes. Its members have a fixed order: equal shelters have equal JSON. */
export function reviseShelter(shelter: NewShelter, changes: ShelterChanges): NewShelter {
  const revised: Record<string, unknown> = { name: (changes.name ?? shelter.name).trim() };
  for (const member of DETAILS) {
    const value = changes[member] === undefined ? shelter[member] : changes[member];
    if (value !== undefined && value !== null) revised[member] = value;
  }
  // -0 and 0 are one place; JSON has only 0.
  const { location } = revised as { location?: Location };
  if (location) revised.location = { latitude: location.latitude + 0, longitude: location.longitude + 0 };
  return revised as unknown as NewShelter;
}

export function summaryOf({ id, name, address }: Pick<Shelter, "id" | "name" | "address">): ShelterSummary {
  return { id, name, ...(address?.city !== undefined && { city: address.city }) };
}

/** The shelter as clients see it. */
export function describeShelter({ id, createdAtMs, updatedAtMs, ...members }: Shelter) {
  return { id, ...members, createdAt: new Date(createdAtMs), updatedAt: new Date(updatedAtMs) };
}
