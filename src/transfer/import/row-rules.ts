// The rules of createPet and updateProfile for the cells of a file: the same schemas as in HTTP.

import { type CheckMember, createMemberCheck } from "../member-check.ts";

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
}

/** Loaded on demand, because few commands need these modules. */
export async function readRowRules(): Promise<CheckMember> {
  const { NewPet } = await import("../../http/schemas/pets.ts");
  const { CategoryNaming } = await import("../../http/schemas/categories.ts");
  const { ShelterPath, shelterMembers } = await import("../../http/schemas/shelters.ts");
  const { Profile } = await import("../../http/schemas/profiles.ts");
  const { properties = {} } = Profile as Schema;
  const own = {
    ...NewPet.properties,
    categoryName: CategoryNaming.properties.name,
    shelterId: ShelterPath.properties.shelterId,
    shelterName: shelterMembers.name,
  } as Record<string, Schema>;
  return createMemberCheck((member) => {
    const [name = "", part = ""] = member.split(".");
    const whole = properties[name];
    return own[member] ?? whole?.properties?.[part] ?? whole?.additionalProperties ?? whole;
  });
}
