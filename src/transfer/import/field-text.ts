// Values of a file as text.

import { exactJson } from "../../tools/exact-json.ts";

/** A whole row may be in one field. */
const SHOWN_MAX = 100;

/** The start of a value, for messages. */
export function showField(field: unknown): string {
  const start = Array.from(
    writeField(field)
      .trim()
      .slice(0, 2 * SHOWN_MAX),
  );
  return start.length > SHOWN_MAX ? `${start.slice(0, SHOWN_MAX).join("")}…` : start.join("");
}

/** A value of the file as text. */
export function writeField(field: unknown): string {
  if (field === undefined) return "";
  return typeof field === "string" ? field : exactJson(field);
}
