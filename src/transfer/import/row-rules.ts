// The rules of createPet and updateProfile for the cells of a file: the same schemas as in HTTP.

import { MEMBERS } from "../formats/columns.ts";

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
}
type Read = (value: object) => { value: Record<string, unknown> } | { error: Error };

/** The checked value of a member, or the error that says what is allowed. */
export type CheckMember = (member: string, value: unknown) => { value: unknown } | { error: Error };

/** Loaded on demand, because few commands need these modules. */
export async function readRowRules(): Promise<CheckMember> {
  const { NewPet } = await import("../../http/schemas/pets.ts");
  const { CategoryNaming } = await import("../../http/schemas/categories.ts");
  const { Profile } = await import("../../http/schemas/profiles.ts");
  const { compileValidator } = await import("../../http/request/validation.ts");
  const { properties = {} } = Profile as Schema;
  const own = { ...NewPet.properties, categoryName: CategoryNaming.properties.name } as Record<
    string,
    Schema
  >;
  const readers = new Map<string, Read>();

  function compile(member: string): Read {
    const [name = "", part = ""] = member.split(".");
    const whole = properties[name];
    const schema = own[member] ?? whole?.properties?.[part] ?? whole?.additionalProperties ?? whole;
    const shape = { type: "object", properties: { [member]: schema } };
    return compileValidator({ schema: shape, httpPart: "body", method: "POST", url: "/imports" }) as Read;
  }

  function readerOf(member: string): Read {
    const known = readers.get(member) ?? compile(member);
    readers.set(member, known);
    return known;
  }
  for (const member of MEMBERS.filter((each) => each !== "age")) readerOf(member);

  return (member, value) => {
    const found = readerOf(member)({ [member]: value });
    return "error" in found ? found : { value: found.value[member] };
  };
}
