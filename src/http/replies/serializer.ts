// Turns response bodies into JSON by the published schemas. A schema is compiled with its first response.

import type { FastifySerializerCompiler } from "fastify";
import { loadPackage } from "../../tools/load-package.ts";

type Serialize = (body: unknown) => string;

const compiled = new WeakMap<object, Serialize>();

/**
 * Fastify's serializer compiler. Compiling all schemas, and loading the library for it, would take 20 % of a
 * start, though a node that has just started needs few of them.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  return (body) => {
    let serialize = compiled.get(schema);
    if (serialize === undefined) {
      const compile: typeof import("fast-json-stringify").default = loadPackage("fast-json-stringify");
      serialize = compile(schema);
      compiled.set(schema, serialize);
    }
    return serialize(body);
  };
};
