// The shelter that animals belong to: its members, the rules for changing it, and the interface of its store.

import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
import type { Precondition } from "../basics/precondition.ts";
import type { AuditOrigin } from "../keys/audit.ts";
import type { Access } from "../keys/plan.ts";
import type { Location, Near } from "./distance.ts";

/** Created by the migration, and never deleted. */
export const FIRST_SHELTER = { id: 1n, name: "Our shelter" };

interface Address {
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

/** The order of the members in JSON. A record, so that none can be forgotten. */
const DETAILS: Record<keyof Details, true> = {
  about: true,
  email: true,
  phone: true,
  website: true,
  adoptUrl: true,
  address: true,
  location: true,
  openingHours: true,
};
const ADDRESS: Record<keyof Address, true> = {
  street: true,
  postalCode: true,
  city: true,
  region: true,
  country: true,
};
export const SHELTER_DETAILS = Object.keys(DETAILS) as Array<keyof Details>;
const ADDRESS_LINES = Object.keys(ADDRESS) as Array<keyof Address>;

/** The shelter after the changes. Its members have a fixed order: equal shelters have equal JSON. */
export function reviseShelter(shelter: NewShelter, changes: ShelterChanges): NewShelter {
  const revised: NewShelter = { name: (changes.name ?? shelter.name).trim() };
  for (const member of SHELTER_DETAILS) {
    const value = changes[member] === undefined ? shelter[member] : changes[member];
    if (value !== undefined && value !== null) Object.assign(revised, { [member]: value });
  }
  const { address, location } = revised;
  if (revised.phone) revised.phone = revised.phone.trim();
  const lines = selectSet(address ?? {}, ADDRESS_LINES).map(([line, text]) => [line, text?.trim()]);
  if (lines.length > 0) revised.address = Object.fromEntries(lines);
  else delete revised.address;
  // -0 and 0 are one place; JSON has only 0.
  if (location) revised.location = { latitude: location.latitude + 0, longitude: location.longitude + 0 };
  return revised;
}

function selectSet<T, K extends keyof T>(object: T, names: readonly K[]): Array<[K, T[K]]> {
  return names.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]);
}

/** The old values of the members that a change has replaced or removed. */
export function replacedMembers(before: NewShelter, after: NewShelter): Partial<NewShelter> {
  const replaced = selectSet(before, ["name", ...SHELTER_DETAILS] as const).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(replaced);
}

export function summaryOf({ id, name, address }: Pick<Shelter, "id" | "name" | "address">): ShelterSummary {
  return { id, name, ...(address?.city !== undefined && { city: address.city }) };
}

/** For a shelter that a body names. Throws `invalid_body`. */
export function requireShelter<T>(shelter: T | undefined, id: bigint): T {
  if (shelter !== undefined) return shelter;
  throw new ServiceError("invalid_body", { message: `shelterId: no shelter has the identifier ${id}` });
}

/** Throws `insufficient_access` or `other_shelter` if the key may not change this shelter. */
export function requireMayChange(id: bigint, access: Access, keyShelterId: bigint | undefined): void {
  if (access === "admin" || keyShelterId === id) return;
  const message = "The API key belongs to another shelter, and may change only its own.";
  if (keyShelterId !== undefined) throw new ServiceError("other_shelter", { message });
  throw new ServiceError("insufficient_access");
}

/** The shelter as clients see it. */
export function describeShelter({ id, createdAtMs, updatedAtMs, ...members }: Shelter) {
  return { id, ...members, createdAt: new Date(createdAtMs), updatedAt: new Date(updatedAtMs) };
}
