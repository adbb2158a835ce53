// JSON with exact 64-bit integers, which JSON.stringify cannot write by itself.

/** `indent` is the number of spaces for each level; without it, the text is one line. */
export function exactJson(value: unknown, indent?: number): string {
  const write = (_name: string, member: unknown) =>
    typeof member === "bigint" ? JSON.rawJSON(member.toString()) : member;
  return JSON.stringify(value, write, indent);
}
