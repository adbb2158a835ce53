// The members of a shelter as options of `shelters create` and `shelters update`.

import type { NewShelter, ShelterChanges } from "../../domain/shelters/shelter.ts";
import { type Flags, TEXT, UsageError } from "../command.ts";

/** Each option with its member. */
const MEMBERS = {
  name: "name",
  about: "about",
  email: "email",
  phone: "phone",
  website: "website",
  "adopt-url": "adoptUrl",
  street: "address.street",
  "postal-code": "address.postalCode",
  city: "address.city",
  region: "address.region",
  country: "address.country",
  latitude: "location.latitude",
  longitude: "location.longitude",
  "opening-hours": "openingHours",
} as const;
type Name = keyof typeof MEMBERS;
const NAMES = Object.keys(MEMBERS) as Name[];

export const SETTINGS = Object.fromEntries(NAMES.map((name) => [name, TEXT])) as Record<Name, typeof TEXT>;

const DEGREES = /^-?\d{1,3}(?:\.\d{1,20})?$/;
const DEGREES_OPTION = /^--(?:latitude|longitude)$/;

/** The values by member; null for one that is removed. */
export type Given = ReadonlyMap<string, unknown>;

/** Only the given options. Checks them by the rules of the API, and names every fault. */
export async function readSettings(flags: Flags<typeof SETTINGS>): Promise<Given> {
  const { readShelterRules } = await import("../../transfer/member-check.ts");
  const check = await readShelterRules();
  const given = new Map<string, unknown>();
  const faults: string[] = [];
  for (const name of NAMES.filter((each) => flags[each] !== undefined)) {
    const member = MEMBERS[name];
    const text = flags[name] as string;
    const isRemoved = (text === "" || text === "none") && name !== "name";
    const value = member.startsWith("location.") && DEGREES.test(text) ? Number(text) : text;
    const checked = isRemoved ? { value: null } : check(member, value);
    if ("value" in checked) given.set(member, checked.value);
    else faults.push(checked.error.message.replace(member, `--${name}`));
  }
  if (faults.length > 0) throw new UsageError(`${faults.join("; ")}.`);
  return given;
}

/** The changes that lead from `shelter` to the given values. The parts of an address that are not given stay. */
export function toChanges(shelter: Partial<NewShelter>, given: Given): ShelterChanges {
  const changes: Record<string, unknown> = {};
  for (const [member, value] of given) {
    const [name = "", part] = member.split(".");
    if (part === undefined) changes[name] = value;
    else changes[name] = { ...((changes[name] ?? shelter[name as "address"]) as object), [part]: value };
  }
  for (const name of ["address", "location"]) {
    if (changes[name] === undefined) continue;
    const parts = Object.entries(changes[name] as object).filter(([, value]) => value !== null);
    if (name === "location" && parts.length === 1)
      throw new UsageError("--latitude and --longitude belong together: give both, or none for both.");
    changes[name] = parts.length === 0 ? null : Object.fromEntries(parts);
  }
  return changes;
}

/** A negative number after an option would be an option itself, so it is joined as in `--latitude=-33.9`. */
export function joinDegrees(args: string[]): string[] {
  return args.flatMap((arg, index) => {
    const before = args[index - 1] ?? "";
    const after = args[index + 1] ?? "";
    if (DEGREES_OPTION.test(before) && arg.startsWith("-") && DEGREES.test(arg)) return [];
    return DEGREES_OPTION.test(arg) && after.startsWith("-") && DEGREES.test(after) ? `${arg}=${after}` : arg;
  });
}
