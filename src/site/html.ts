// A tagged template for HTML and XML: every value is text and is escaped, unless a template has made it.

import { plain } from "../domain/basics/text.ts";

const MARKUP = Symbol("markup");

/** Made by a template. JSON and staff cannot make one: its only member has a symbol as its name. */
export interface Markup {
  readonly [MARKUP]: string;
}

export type Part = Markup | string | number | bigint | undefined | false | readonly Part[];

/** The five characters with a meaning, and those that XML forbids or has no use for, which are left out. Linear. */
const UNSAFE = /[&<>"'\ufffe\uffff\p{Cs}]|(?![\t\n\r])\p{Cc}/gu;
const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Undefined and false are left out; the parts of a list follow each other. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  let text = literals[0] ?? "";
  for (const [index, part] of parts.entries()) text += write(part) + literals[index + 1];
  return { [MARKUP]: text };
}

export function toText(markup: Markup): string {
  return markup[MARKUP];
}

/** Text of staff in a line with other text, whose direction it must not change. */
export function isolate(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

/** A JSON document inside a page: no text in it can end its element. */
export function jsonScript(type: string, value: object): Markup {
  const json = plain(JSON.stringify(value)).replaceAll(/[<\ufffe\uffff]/g, escapeInJson);
  return html`<script type="${type}">${{ [MARKUP]: json }}</script>`;
}

function escapeInJson(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function write(part: Part): string {
  if (part === undefined || part === false) return "";
  if (Array.isArray(part)) return part.map(write).join("");
  if (typeof part === "object") return (part as Markup)[MARKUP] ?? "";
  return String(part).replaceAll(UNSAFE, (character) => ESCAPES[character] ?? "");
}
