// Events: listEvents.

import {
  describeEvent,
  type EventPage,
  filterFor,
  formatEventCursor,
  parseEventTypes,
  serializeEvent,
} from "../../domain/event.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { PAGE_LIMIT_DEFAULT } from "../../domain/page.ts";
import { linkOnReset, parseStart } from "../events/cursor-of-request.ts";
import { readOrWait } from "../events/long-poll.ts";
import { JSON_TYPE } from "../response/common-headers.ts";
import { Events, EventsQuery } from "../schemas/events.ts";
import { apiUrl, type Route, routePlugin } from "./route.ts";

export const listEvents: Route = (app, services) =>
  app.get(
    "/events",
    {
      schema: {
        operationId: "listEvents",
        summary: "List changes",
        description:
          "One page of the changes of animals, orders and categories, oldest first, each with the complete new state. The `next` link is on every page, also on an empty one: follow it to get later events. Without access `manage`, a key sees no orders, or with `adopt` its own. Animals that are older than the change history have no event until they change.",
        querystring: EventsQuery,
        answer: "A page of events.",
        response: { 200: Events },
      },
      config: { access: "browse", errors: ["feed_reset"] },
    },
    async ({ query, apiKey }, reply) => {
      const { type, petId, limit = PAGE_LIMIT_DEFAULT, wait = 0 } = query;
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const feedUrl = apiUrl(services, "/events");
      const page = await linkOnReset(reply, feedUrl, () =>
        readOrWait(services, {
          after: parseStart(query.after),
          filter: filterFor(apiKey as ApiKey, {
            types: type === undefined ? undefined : parseEventTypes(type),
            petId,
          }),
          limit,
          waitMs: wait * 1000,
          until: gone.signal,
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
      return renderPage(page) as never;
    },
  );

export const eventRoutes = routePlugin("Events", listEvents);

function renderPage({ events, epoch }: Pick<EventPage, "events" | "epoch">): string {
  return `[${events.map((each) => serializeEvent(describeEvent(each, epoch))).join(",")}]`;
}
