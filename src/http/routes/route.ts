// The form of a route file: one exported constant per operation, and the plugin that adds them all.

import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { EventStreams } from "../events/event-streams.ts";
import type { ReadOrWait } from "../events/long-poll.ts";
import type { StreamLimits } from "../events/stream-limits.ts";
import type { RecordReply } from "../observe/request-log.ts";
import type { ListingPages } from "../pages/listing-pages.ts";
import type { PetPages } from "../pages/pet-pages.ts";
import type { AnswerPost } from "../replies/idempotent-posts.ts";
import type { ReceiveFile } from "../request/upload-file.ts";
import type { HttpServices } from "../services.ts";

interface RouteServices extends HttpServices {
  answerPost: AnswerPost;
  petPages: PetPages;
  listingPages: ListingPages;
  readOrWait: ReadOrWait;
  streams: EventStreams;
  streamLimits: StreamLimits;
  recordReply: RecordReply;
  receiveFile: ReceiveFile;
}

/**
 * Adds one operation to the app, with the services that it names. The constant has the name of its operationId; a test
 * compares them.
 */
export type Route<Names extends keyof RouteServices = never> = (
  app: Parameters<FastifyPluginAsyncTypebox>[0],
  services: Pick<RouteServices, Names>,
) => void;

type NamesOf<R> = R extends Route<infer Names> ? Names : never;

/** `tag` groups the operations in the OpenAPI document. */
export function routePlugin<Routes extends Route<keyof RouteServices>[]>(
  tag: string,
  ...routes: Routes
): FastifyPluginAsyncTypebox<Pick<RouteServices, NamesOf<Routes[number]>>> {
  return async (app, services) => {
    app.addHook("onRoute", ({ schema }) => {
      if (schema !== undefined) schema.tag = tag;
    });
    for (const addRoute of routes) addRoute(app, services as RouteServices);
  };
}

/** Address of a path below /v1, as clients see it. */
export function apiUrl({ publicUrl }: Pick<HttpServices, "publicUrl">, path = ""): string {
  return `${publicUrl()}/v1${path}`;
}
