// The rules of createPet and updateProfile for the rows of a file: the same schemas and parser as in HTTP.

import type { ProfileChanges } from "../../domain/animals/profile.ts";
import { PET_MEMBERS } from "../formats/columns.ts";
import type { RowPet, RowRules } from "../formats/file-row.ts";
import {
  hasHalfFee,
  PROFILE_COLUMNS,
  type ProfileColumn,
  toProfileChanges,
} from "../formats/profile-cells.ts";

interface Schema {
  properties?: Record<string, Schema>;
}
type Read<T> = (value: object) => { value: T } | { error: Error };
type Cells = Omit<RowPet, "profile"> & Partial<Record<ProfileColumn, unknown>>;

/** One reader for rows with an externalId, and two for other rows: with a category by id or by name. */
interface Readers<T> {
  known: Read<T>;
  byId: Read<T>;
  byName: Read<T>;
}

/** Loaded on demand, because no other command needs these modules. */
async function compileReaders() {
  const { NewPet } = await import("../../http/schemas/pets.ts");
  const { CategoryNaming } = await import("../../http/schemas/categories.ts");
  const { Profile, ProfilePatch } = await import("../../http/schemas/profiles.ts");
  const { compileValidator } = await import("../../http/request/validation.ts");
  const compile = <T>(properties: object, required: string[]) =>
    compileValidator({
      schema: { type: "object", properties, required },
      httpPart: "body",
      method: "POST",
      url: "/pets",
    }) as Read<T>;
  const compileEach = <T>(properties: object): Readers<T> => ({
    known: compile<T>(properties, []),
    byId: compile<T>(properties, ["name", "categoryId"]),
    byName: compile<T>(properties, ["name", "categoryName"]),
  });
  const members = { ...NewPet.properties, categoryName: CategoryNaming.properties.name };
  return {
    pets: compileEach<RowPet>(members),
    cells: compileEach<Cells>({ ...members, ...cellSchemas(Profile as Schema) }),
    profile: compile<ProfileChanges>((ProfilePatch as Schema).properties ?? {}, []),
  };
}

export async function readRowRules(): Promise<RowRules> {
  const { parseJson } = await import("../../http/request/body.ts");
  const readers = await compileReaders();
  const choose = <T>({ known, byId, byName }: Readers<T>, isKnown: boolean, isCategoryNamed: boolean) =>
    isKnown ? known : isCategoryNamed ? byName : byId;

  return {
    parseJson,
    readCells(given, columns, isCategoryNamed) {
      const read = choose(readers.cells, Object.hasOwn(given, "externalId"), isCategoryNamed);
      const found = read(given);
      if ("error" in found) return { problem: found.error.message };
      const cells = found.value;
      if (hasHalfFee(cells)) return { problem: "fee.amount and fee.currency must be given together" };
      const members = PET_MEMBERS.filter((member) => cells[member] !== undefined);
      const pet: RowPet = Object.fromEntries(members.map((member) => [member, cells[member]]));
      return { pet: columns.length === 0 ? pet : { ...pet, profile: toProfileChanges(columns, cells) } };
    },
    readObject({ profile = {}, ...others }: { profile?: unknown }, isCategoryNamed) {
      const isObject = typeof profile === "object" && profile !== null && !Array.isArray(profile);
      const described = isObject ? readers.profile(profile) : { error: new Error("it must be an object") };
      const isKnown = "value" in described && typeof described.value.externalId === "string";
      const found = choose(readers.pets, isKnown, isCategoryNamed)(others);
      if ("value" in found && "value" in described)
        return { pet: isEmpty(described.value) ? found.value : { ...found.value, profile: described.value } };
      const problems = [
        ...("error" in found ? [found.error.message] : []),
        ...("error" in described ? [`in profile: ${described.error.message}`] : []),
      ];
      return { problem: problems.join("; ") };
    },
  };
}

/** The schema of each column of a profile. */
function cellSchemas({ properties = {} }: Schema): Record<string, Schema | undefined> {
  return Object.fromEntries(
    PROFILE_COLUMNS.map((column) => {
      const [member = "", part] = column.split(".");
      const schema = properties[member];
      return [column, part === undefined ? schema : schema?.properties?.[part]];
    }),
  );
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
