// The rules of createPet for the rows of a file: the same schema and parser as in HTTP.

import type { NewPet } from "../domain/pet.ts";
import type { RowRules } from "./files/file-rows.ts";

type Read = (value: object) => { value: NewPet } | { error: Error };

/** Loaded on demand, because no other command needs these modules. */
export async function readRowRules(): Promise<RowRules> {
  const { parseJson } = await import("../http/request/body.ts");
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
