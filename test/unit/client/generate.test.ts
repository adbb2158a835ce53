// The generator of the client's methods, on documents that the service does not have.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type OpenApiDocument, renderClient } from "../../../client/generate.ts";

test("an operation that answers with a stream has no method of its own", () => {
  const operation = (operationId: string, type: string) => ({
    operationId,
    summary: "Reads",
    security: [{ bearerAuth: ["browse"] }],
    responses: { 200: { content: { [type]: { schema: { type: "string" } } } } },
  });
  const document = {
    paths: {
      "/page": { get: operation("readPage", "application/json") },
      "/stream": { get: operation("readStream", "text/event-stream") },
    },
    components: { schemas: { Error: { type: "object", properties: { code: { type: "string" } } } } },
  };
  const { operations } = renderClient(document as unknown as OpenApiDocument);
  assert.match(operations, /readPage\(/);
  assert.doesNotMatch(operations, /readStream/);
});
