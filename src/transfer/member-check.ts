// Checks single members of a body by the schemas of HTTP: the cells of a file, or the options of a command.

type Read = (value: object) => { value: Record<string, unknown> } | { error: Error };

/** The checked value of a member, or the error that says what is allowed. */
export type CheckMember = (member: string, value: unknown) => { value: unknown } | { error: Error };

/** Each schema is compiled once. Loaded on demand, because few commands need the validator. */
export async function createMemberCheck(schemaOf: (member: string) => unknown): Promise<CheckMember> {
  const { compileValidator } = await import("../http/request/validation.ts");
  const readers = new Map<string, Read>();

  function compile(member: string): Read {
    const schema = { type: "object", properties: { [member]: schemaOf(member) } };
    return compileValidator({ schema, httpPart: "body", method: "POST", url: "" }) as Read;
  }

  function readerOf(member: string): Read {
    const read = readers.get(member) ?? compile(member);
    readers.set(member, read);
    return read;
  }

  return (member, value) => {
    const found = readerOf(member)({ [member]: value });
    return "error" in found ? found : { value: found.value[member] };
  };
}

interface Schema {
  properties?: Record<string, Schema>;
}

/** The rules of createShelter, for members such as `phone` and `address.city`. */
export async function readShelterRules(): Promise<CheckMember> {
  const { NewShelter } = await import("../http/schemas/shelters.ts");
  const { properties = {} } = NewShelter as Schema;
  return createMemberCheck((member) => {
    const [name = "", part] = member.split(".");
    return part === undefined ? properties[name] : properties[name]?.properties?.[part];
  });
}
