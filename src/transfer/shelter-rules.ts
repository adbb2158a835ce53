// The rules of createShelter for the options of a command: the same schemas as in HTTP.

import { type CheckMember, createMemberCheck } from "./member-check.ts";

interface Schema {
  properties?: Record<string, Schema>;
}

/** Members such as `phone` and `address.city`. */
export async function readShelterRules(): Promise<CheckMember> {
  const { NewShelter } = await import("../http/schemas/shelters.ts");
  const { properties = {} } = NewShelter as Schema;
  return createMemberCheck((member) => {
    const [name = "", part] = member.split(".");
    return part === undefined ? properties[name] : properties[name]?.properties?.[part];
  });
}
