// Base 62: the alphabet of keys and codes, without characters that programs leave out where they turn the end of a text into a link.

import { randomInt } from "node:crypto";

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Each character has 5.95 bits. */
export function randomBase62(length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += BASE62[randomInt(BASE62.length)];
  return text;
}
