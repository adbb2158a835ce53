// Collects the operations of the API while their routes are registered.

import type { FastifyInstance, RouteOptions } from "fastify";

export type Operation = RouteOptions & {
  schema: NonNullable<RouteOptions["schema"]> & { operationId: string };
};

/** Must be called before routes are registered. Throws for a route under /v1 that is not fully described. */
export function collectOperations(app: FastifyInstance): Operation[] {
  const operations: Operation[] = [];
  app.addHook("onRoute", (route) => {
    if (!route.url.startsWith("/v1/") || route.method === "HEAD") return;
    const hasAccess = route.config?.access !== undefined || route.config?.keyless === true;
    if (route.schema?.operationId === undefined || !hasAccess) {
      throw new Error(`${route.method} ${route.url} needs an operationId and an access level`);
    }
    operations.push(route as Operation);
  });
  return operations;
}
