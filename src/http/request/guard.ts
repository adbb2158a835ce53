// The checks of a request before its body is read: key, limits, route (404, 405), access, removal.

import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { GET_PET_SUNSET_MS } from "../../domain/deprecation.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { deprecationHeaders } from "../response/deprecation.ts";
import type { HttpServices } from "../services.ts";
import { admitCaller, requireAccess } from "./authenticate.ts";
import { isApiPath } from "./request-form.ts";

/** Must be called before the routes are registered: it collects their paths in an `onRoute` hook. */
export function createGuard(app: FastifyInstance, services: HttpServices) {
  const admit = admitCaller(services);
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  app.addHook("onRoute", ({ url, method }) => {
    const known = paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    for (const each of [method].flat()) known.methods.add(each);
    paths.set(url, known);
  });

  function throwUnknown({ url }: FastifyRequest, reply: FastifyReply): never {
    const path = decodeURI(url.replace(/\?.*$/s, ""));
    const known = [...paths.values()].find(({ pattern }) => pattern.test(path));
    if (known === undefined) throw new ServiceError("route_not_found");
    reply.header("allow", [...known.methods].sort().join(", "));
    throw new ServiceError("method_not_allowed");
  }

  function checkOperation(request: FastifyRequest, reply: FastifyReply): void {
    if (request.is404) throwUnknown(request, reply);
    const { access = "admin", deprecated } = request.route.config;
    requireAccess(request.apiKey as ApiKey, access, reply);
    if (deprecated && services.clock.nowMs() >= GET_PET_SUNSET_MS)
      throw new ServiceError("operation_removed");
  }

  /** Hook for operations: key and limits first, so that an unknown path is charged too. */
  const guard: onRequestHookHandler = (request, reply, done) => {
    if (request.route.config.deprecated) reply.headers(deprecationHeaders(services));
    const waiting = admit(request, reply);
    if (waiting === undefined) {
      checkOperation(request, reply);
      done();
    } else waiting.then(() => checkOperation(request, reply)).then(() => done(), done);
  };

  /** Hook: refuses unknown paths outside /v1, which need no key. */
  const refuseUnknown: onRequestHookHandler = (request, reply, done) => {
    if (request.is404 && !isApiPath(request.url)) throwUnknown(request, reply);
    done();
  };

  return { guard, refuseUnknown };
}

/** Fastify requires a handler where no route matches. Hooks have refused every such request before it is called. */
export async function answerNothing(): Promise<never> {
  throw new ServiceError("route_not_found");
}

function patternOf(url: string): RegExp {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, "[^/]+")}$`);
}
