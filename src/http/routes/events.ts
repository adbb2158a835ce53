// Events: listEvents, streamEvents.

import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PAGE_LIMIT_DEFAULT } from "../../domain/basics/list-limits.ts";
import { STREAM_PENDING_BYTES_MAX, STREAMS_PER_KEY } from "../../domain/basics/request-limits.ts";
import { type EventFilter, filterFor, parseEventTypes } from "../../domain/events/event.ts";
import { formatEventCursor } from "../../domain/events/event-cursor.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { bearerOf, callerOf } from "../admission/caller.ts";
import { clientGone } from "../events/client-gone.ts";
import { linkOnReset, parseStart } from "../events/feed-start.ts";
import { endConnection, JSON_TYPE } from "../headers/common-headers.ts";
import type { RecordReply } from "../observe/request-log.ts";
import { EventStream, EventStreamQuery, Events, EventsQuery } from "../schemas/events.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listEvents: Route<"readOrWait" | "publicUrl"> = (app, services) =>
  app.get("/events", {
    schema: {
      operationId: "listEvents",
      summary: "List changes",
      description: `One page of the changes of animals, orders, categories and shelters, oldest first, each with the complete new state. The \`next\` link is on every page, also on an empty one: follow it to get later events. Without access \`manage\`, a key sees no orders, or with \`adopt\` its own; a key of a shelter sees orders for its animals only. Animals that are older than the change history have no event until they change. A request that waits counts as one of the ${STREAMS_PER_KEY} streams of its key.`,
      querystring: EventsQuery,
      answer: "A page of events.",
      response: { 200: Events },
    },
    config: { access: "browse", errors: ["feed_reset", "too_many_streams"] },
    handler: async (request, reply) => {
      const { query } = request;
      const { type, petId, limit = PAGE_LIMIT_DEFAULT, wait = 0 } = query;
      const key = callerOf(request);
      const feedUrl = apiUrl(services, "/events");
      const page = await linkOnReset(reply, feedUrl, () =>
        services.readOrWait({
          key,
          secret: bearerOf(request),
          after: parseStart(query.after),
          filter: readFilter(key, query),
          limit,
          waitMs: wait * 1000,
          gone: () => clientGone(request.socket),
        }),
      );
      const parameters = [
        ...(type === undefined ? [] : [`type=${type}`]),
        ...(petId === undefined ? [] : [`petId=${petId}`]),
        `limit=${limit}`,
        ...(wait === 0 ? [] : [`wait=${wait}`]),
      ];
      const first = `${feedUrl}?${parameters.join("&")}`;
      const next = formatEventCursor({ epoch: page.epoch, number: page.examined });
      reply.header("link", `<${first}&after=${next}>; rel="next", <${first}>; rel="first"`).type(JSON_TYPE);
      // Fastify sends a string unchanged, without serialising it.
      return page.body as never;
    },
  });

export const streamEvents: Route<"streams" | "recordReply" | "publicUrl"> = (app, services) =>
  app.get("/events/stream", {
    schema: {
      operationId: "streamEvents",
      summary: "Follow changes",
      description: `The events of \`listEvents\` as server-sent events, as they happen. Charged once, when the stream is opened. The service ends every stream after about 15 minutes: connect again with the last id in \`Last-Event-ID\`, and nothing is missed. A client that lets ${STREAM_PENDING_BYTES_MAX / 1024 ** 2} MiB of new events wait is disconnected, and continues in the same way.`,
      querystring: EventStreamQuery,
      answer: "A stream of events.",
      response: { 200: EventStream },
    },
    config: { access: "browse", stream: true, errors: ["feed_reset", "too_many_streams"] },
    handler: async (request, reply) => {
      const { query, headers } = request;
      const { streams, recordReply } = services;
      const lastEventId = String(headers["last-event-id"] ?? "");
      const key = callerOf(request);
      const stream = {
        key,
        secret: bearerOf(request),
        start: parseStart(lastEventId === "" ? query.after : lastEventId),
        filter: readFilter(key, query),
      };
      await linkOnReset(reply, apiUrl(services, "/events"), async () => {
        if (request.method === "HEAD") await streams.check(stream);
        else await streams.open(stream, () => startResponse(request, reply, recordReply));
      });
      return reply.sent ? reply : reply.headers(STREAM_HEADERS).send("");
    },
  });

export const eventRoutes = routePlugin("Events", listEvents, streamEvents);

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Asks nginx to pass every event on at once.
  "x-accel-buffering": "no",
};

/** Takes the response over from the framework and sends its head. The end of the connection ends the stream. */
function startResponse(request: FastifyRequest, reply: FastifyReply, recordReply: RecordReply) {
  endConnection(request, reply);
  reply.hijack();
  const { raw } = reply;
  // Chunks would need three writes for each batch of events.
  raw.useChunkedEncodingByDefault = false;
  raw.writeHead(200, { ...reply.getHeaders(), ...STREAM_HEADERS } as OutgoingHttpHeaders);
  recordReply(request, reply);
  // A client that closes its side would otherwise be noticed with the second write after that.
  const gone = clientGone(request.socket);
  gone.addEventListener("abort", () => raw.destroy());
  if (gone.aborted) raw.destroy();
  return raw;
}

function readFilter(key: ApiKey, { type, petId }: { type?: string; petId?: bigint }): EventFilter {
  return filterFor(key, { types: type === undefined ? undefined : parseEventTypes(type), petId });
}
