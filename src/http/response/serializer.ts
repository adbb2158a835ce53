// Turns response bodies into JSON by the published schemas. A schema is compiled with its first response.

import { createRequire } from "node:module";
import type { FastifySerializerCompiler } from "fastify";

type Serialize = (body: unknown) => string;

const require = createRequire(import.meta.url);
const compiled = new WeakMap<object, Serialize>();

/**
 * Fastify's serializer compiler. Compiling all schemas, and loading the library for it, would take a fifth of the time of
 * a start, though a node that has just started needs few of them.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  return (body) => {
    let serialize = compiled.get(schema);
    if (serialize === undefined) {
      const compile: (schema: object) => Serialize = require("fast-json-stringify");
      serialize = compile(schema);
      compiled.set(schema, serialize);
    }
    return serialize(body);
  };
};
