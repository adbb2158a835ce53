// The rules of createPet for the rows of a file: the same schema and parser as in HTTP.

import type { RowPet, RowRules } from "./files/file-row.ts";

type Read = (value: object) => { value: RowPet } | { error: Error };

/** Loaded on demand, because no other command needs these modules. */
export async function readRowRules(): Promise<RowRules> {
  const { parseJson } = await import("../http/request/body.ts");
  const { NewPet: schema } = await import("../http/schemas/pets.ts");
  const { CategoryNaming } = await import("../http/schemas/categories.ts");
  const { compileValidator } = await import("../http/request/validation.ts");
  const properties = { ...schema.properties, categoryName: CategoryNaming.properties.name };
  const compile = (required: string[]) =>
    compileValidator({
      schema: { ...schema, properties, required },
      ...{ httpPart: "body", method: "POST", url: "/pets" },
    }) as Read;
  const byId = compile(["name", "categoryId"]);
  const byName = compile(["name", "categoryName"]);
  return {
    parseJson,
    readPet(value, isCategoryNamed) {
      const found = (isCategoryNamed ? byName : byId)(value);
      return "error" in found ? { problem: found.error.message } : { pet: found.value };
    },
  };
}
