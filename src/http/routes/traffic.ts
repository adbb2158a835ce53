// Usage of the service, for callers with access `admin`: getTraffic, getTrafficPeriods, getKeyUsage.

import { ServiceError } from "../../domain/basics/errors.ts";
import { describeUsage } from "../../domain/keys/shown-limits.ts";
import { PERIODS, readDailyUse, readTraffic } from "../../domain/usage/periods.ts";
import { KeyPath } from "../schemas/keys.ts";
import { KeyUsage, KeyUsageQuery, TrafficPeriods, TrafficQuery, TrafficReport } from "../schemas/traffic.ts";
import { type Route, routePlugin } from "./route.ts";

const MINUTES = PERIODS.minute.usual;
const ALL_NODES = "All nodes are counted; the last minute of other nodes may be missing.";

export const getTraffic: Route<"usage" | "clock"> = (app, { usage, clock }) =>
  app.get("/traffic", {
    schema: {
      operationId: "getTraffic",
      summary: "Count the responses of the last hour",
      description: `The number of responses by status in each of the last ${MINUTES} minutes, for operations and for unknown paths. ${ALL_NODES}`,
      answer: `${MINUTES} minutes, oldest first.`,
      response: { 200: TrafficReport },
    },
    config: { access: "admin" },
    handler: async () => readTraffic(usage, { per: "minute", periods: MINUTES }, clock.nowMs()),
  });

/** Not parameters of getTraffic: its method of the client has none, and would change. */
export const getTrafficPeriods: Route<"usage" | "clock"> = (app, { usage, clock }) =>
  app.get("/traffic/periods", {
    schema: {
      operationId: "getTrafficPeriods",
      summary: "Count the responses by minute, hour or day",
      description: `The number of responses by status in each of the last periods, to all callers or to one key. Minutes are kept for a day, days for ${PERIODS.day.most} days. ${ALL_NODES}`,
      querystring: TrafficQuery,
      answer: "The periods, oldest first; the last one is the current one.",
      response: { 200: TrafficPeriods },
    },
    config: { access: "admin" },
    handler: async ({ query }) => {
      const { per = "minute", last = PERIODS[per].usual, keyId } = query;
      const { most } = PERIODS[per];
      if (last > most)
        throw new ServiceError("invalid_parameter", {
          message: `last must be at most ${most} for per=${per}`,
        });
      return readTraffic(usage, { per, periods: last, keyId }, clock.nowMs());
    },
  });

export const getKeyUsage: Route<"keyRing" | "gate" | "usage" | "webhooks" | "streamLimits" | "clock"> = (
  app,
  { keyRing, gate, usage, webhooks, streamLimits, clock },
) =>
  app.get("/keys/:keyId/usage", {
    schema: {
      operationId: "getKeyUsage",
      summary: "Show the usage of a key",
      description:
        "The remaining requests of a key, its responses by day, operation and status, and what it has open. `getTrafficPeriods` with `keyId` has its responses by minute and hour.",
      params: KeyPath,
      querystring: KeyUsageQuery,
      answer: "The usage of the key.",
      response: { 200: KeyUsage },
    },
    config: { access: "admin" },
    handler: async ({ params, query }) => {
      const key = await keyRing.get(params.keyId);
      const { days = PERIODS.day.usual } = query;
      const [admission, lastDays, webhookCount] = await Promise.all([
        gate.peek(key),
        readDailyUse(usage, { keyId: key.id, days }, clock.nowMs()),
        webhooks.count(key.id),
      ]);
      const open = { streams: streamLimits.countOf(key.id), webhooks: webhookCount };
      return { ...describeUsage(admission), ...open, lastDays };
    },
  });

export const trafficRoutes = routePlugin("Keys", getTraffic, getTrafficPeriods, getKeyUsage);
