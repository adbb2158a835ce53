// The rules of createPet for the rows of a file: the very schema and parser of the HTTP door.

import type { NewPet } from "../domain/pet.ts";
import type { RowRules } from "./files/file-rows.ts";

type Read = (value: object) => { value: NewPet } | { error: Error };

/** Loaded only where rows are read: no other command needs it. */
export async function readRowRules(): Promise<RowRules> {
  const { parseJson } = await import("../http/request/json.ts");
  const { NewPet: schema } = await import("../http/schemas/pets.ts");
  const { compileValidator } = await import("../http/request/validation.ts");
  const read = compileValidator({ schema, httpPart: "body", method: "POST", url: "/pets" }) as Read;
  return {
    parseJson,
    readNewPet(value) {
      const found = read(value);
      return "error" in found ? { problem: found.error.message } : { pet: found.value };
    },
  };
}
