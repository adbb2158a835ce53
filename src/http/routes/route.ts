// The form of a route file: one exported constant per operation, and the plugin that adds them all.

import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { HttpServices } from "../services.ts";

/** Adds one operation to the app. The constant has the name of its operationId; a test compares them. */
export type Route<Services = HttpServices> = (
  app: Parameters<FastifyPluginAsyncTypebox>[0],
  services: Services,
) => void;

/** `tag` groups the operations in the OpenAPI document. */
export function routePlugin<Services extends object>(
  tag: string,
  ...routes: Route<Services>[]
): FastifyPluginAsyncTypebox<Services> {
  return async (app, services) => {
    app.addHook("onRoute", ({ schema }) => {
      if (schema !== undefined) schema.tag = tag;
    });
    for (const addRoute of routes) addRoute(app, services);
  };
}

/** Address of a path below /v1, as clients see it. */
export function apiUrl({ publicUrl }: Pick<HttpServices, "publicUrl">, path = ""): string {
  return `${publicUrl()}/v1${path}`;
}
