// A JSON value as a literal of another language: on one line if it is short, otherwise one line per member.

const LINE_MAX = 60;

export interface LiteralStyle {
  /** How the name of a member is written. */
  name(text: string): string;
  /** How true, false and null are written. */
  word(value: boolean | null): string;
  indent: string;
  /** Between a brace and the members on one line. */
  padding: string;
}

/** `margin` is the indentation of the line on which the literal begins. */
export function writeLiteral(value: unknown, style: LiteralStyle, margin = ""): string {
  if (typeof value === "boolean" || value === null) return style.word(value);
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = margin + style.indent;
  const writeItems = (at: string) =>
    Array.isArray(value)
      ? value.map((item) => writeLiteral(item, style, at))
      : Object.entries(value).map(
          ([name, member]) => `${style.name(name)}: ${writeLiteral(member, style, at)}`,
        );
  const [open, close, padding] = Array.isArray(value) ? ["[", "]", ""] : ["{", "}", style.padding];
  const line = `${open}${padding}${writeItems(margin).join(", ")}${padding}${close}`;
  if (margin.length + line.length <= LINE_MAX && !line.includes("\n")) return line;
  return `${open}\n${writeItems(inner)
    .map((item) => `${inner}${item},\n`)
    .join("")}${margin}${close}`;
}
