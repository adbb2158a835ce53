// The JSON of an animal, a listing and its shelter: their members, in order. TypeScript and both engines write the text from this.

import { exactJson } from "../../tools/exact-json.ts";
import type { ShelterSummary } from "../shelters/shelter.ts";

export interface Member {
  name: string;
  /** A `word` is a string that needs no escaping; a `time` is in milliseconds; `written` is JSON text already. */
  type: "integer" | "text" | "word" | "time" | "json" | "written";
  /** Without a value, the member is left out. */
  isOptional?: true;
}

export const PET_SHAPE = [
  { name: "id", type: "integer" },
  { name: "name", type: "text" },
  { name: "categoryId", type: "integer" },
  { name: "status", type: "word" },
] as const satisfies Member[];

const SUMMARY_SHAPE = [
  { name: "id", type: "integer" },
  { name: "name", type: "text" },
  { name: "city", type: "text", isOptional: true },
] as const satisfies Member[];

export const LISTING_SHAPE = [
  ...PET_SHAPE,
  { name: "categoryName", type: "text", isOptional: true },
  { name: "ageGroup", type: "word", isOptional: true },
  { name: "profile", type: "json" },
  { name: "photos", type: "json" },
  { name: "shelter", type: "written" },
  { name: "createdAt", type: "time" },
  { name: "updatedAt", type: "time" },
] as const satisfies Member[];

export type MemberName<Shape extends readonly Member[]> = Shape[number]["name"];

const WRITERS: Record<Member["type"], (value: never) => string> = {
  integer: (value: bigint) => String(value),
  text: (value: string) => JSON.stringify(value),
  word: (value: string) => `"${value}"`,
  time: (ms: number) => `"${new Date(ms).toISOString()}"`,
  json: (value: object) => exactJson(value),
  written: (value: string) => value,
};

/** Members whose value is undefined are left out. */
export function writeShape<const Shape extends readonly Member[]>(
  shape: Shape,
  values: Record<MemberName<Shape>, unknown>,
): string {
  let members = "";
  for (const { name, type } of shape) {
    const value = values[name as MemberName<Shape>];
    if (value === undefined) continue;
    members += `${members === "" ? "" : ","}"${name}":${WRITERS[type](value as never)}`;
  }
  return `{${members}}`;
}

/** The shelter of a listing. */
export function summaryJson({ id, name, city }: ShelterSummary): string {
  return writeShape(SUMMARY_SHAPE, { id, name, city });
}
