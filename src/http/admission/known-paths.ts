// The paths of all routes with their methods: an unknown path gets 404, a known one with another method 405.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";

/** Throws the error for a request that no route matches. */
type ThrowUnknown = (request: FastifyRequest, reply: FastifyReply) => never;

export function collectPaths(app: FastifyInstance): ThrowUnknown {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  app.addHook("onRoute", ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) known.methods.add(each);
    paths.set(url, known);
  });

  return ({ url }, reply) => {
    const path = decodeURI(url.replace(/\?.*$/s, ""));
    const known = [...paths.values()].find(({ pattern }) => pattern.test(path));
    if (known === undefined) throw new ServiceError("route_not_found");
    reply.header("allow", [...known.methods].sort().join(", "));
    throw new ServiceError("method_not_allowed");
  };
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, "[^/]+")}$`);
}
