// Tells an unknown path (404) from a known path with another method (405).

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/errors.ts";

export interface KnownPaths {
  /** Throws for a request that no route has taken. */
  refuseUnknown(request: FastifyRequest, reply: FastifyReply): void;
}

/** Must be called before the routes are registered: it learns them as they come. */
export function watchPaths(app: FastifyInstance): KnownPaths {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  app.addHook("onRoute", ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) known.methods.add(each);
    paths.set(url, known);
  });

  return {
    refuseUnknown(request, reply) {
      if (!request.is404) return;
      const path = decodeURI(request.url.replace(/\?.*$/s, ""));
      const known = [...paths.values()].find(({ pattern }) => pattern.test(path));
      if (known === undefined) throw new ServiceError("route_not_found");
      reply.header("allow", [...known.methods].sort().join(", "));
      throw new ServiceError("method_not_allowed");
    },
  };
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, "[^/]+")}$`);
}
