// Responses are written by schemas that are compiled with the first response: each must be one that can be compiled.

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compileSerializer } from "../../../src/http/replies/serializer.ts";

const ROOT = join(import.meta.dirname, "../../..");
const INVALID_SCHEMA = /schema is invalid/;

test("the schema of every response can be compiled", async () => {
  const responses = await collectResponses();
  assert.ok(responses.length > 40, `${responses.length} responses`);
  for (const { name, schema } of responses) {
    const serialize = compileSerializer({ schema, method: "GET", url: "/", httpStatus: "200" });
    // Without its members a body may be refused, which is no fault of the schema.
    try {
      serialize({});
    } catch (error) {
      assert.doesNotMatch((error as Error).message, INVALID_SCHEMA, name);
    }
  }
});

test("a schema that cannot be compiled fails with its first response, and only then", () => {
  const schema = { type: "object", properties: { name: { type: "nothing" } } };
  const serialize = compileSerializer({ schema, method: "GET", url: "/", httpStatus: "200" });
  assert.throws(() => serialize({ name: "Rex" }), INVALID_SCHEMA);
});

async function collectResponses(): Promise<Array<{ name: string; schema: object }>> {
  const found = [];
  for (const path of globSync("src/http/schemas/*.ts", { cwd: ROOT }))
    for (const [name, schema] of Object.entries(await import(join(ROOT, path))))
      if (typeof schema === "object" && schema !== null && ("type" in schema || "anyOf" in schema))
        found.push({ name, schema });
  return found;
}
