// JSON with exact 64-bit integers, which JSON.stringify cannot write by itself.

export function exactJson(value: object): string {
  return JSON.stringify(value, (_name, member) =>
    typeof member === "bigint" ? JSON.rawJSON(member.toString()) : member,
  );
}
